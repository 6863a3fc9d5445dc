// Each PE owns a part of the vector: it combines that part of every source in place, and writes it into the root's dest.
// In place is safe: a part is read and written by its owner only.
#include "coll/algorithms.hpp"
#include "coll/cost.hpp"
#include "coll/owner.hpp"

namespace oshen::coll {
namespace {

void run_owner(const task& job) {
  team& t = job.members;
  post(t);
  await_all(job);  // a source must not be read before its PE has entered
  alignas(cache_line) char sum[block_bytes];
  for_own_blocks(job, [&](std::size_t offset, std::size_t elements) {
    const std::size_t bytes = elements * job.element_bytes;
    read_from(t, 0, sum, job.source + offset, bytes);
    for (int pe = 1; pe < t.n_pes; ++pe) combine_from(job, pe, sum, job.source + offset, elements);
    write_to(t, job.root, job.dest + offset, sum, bytes);
  });
  sync_team(t, job.routine);
}

double cost(const setting& s) {
  const auto b = static_cast<double>(s.bytes);
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, b + b / s.n_pes) + sync_cost(s);
}

}  // namespace

constexpr algorithm owner_reduce_to_root{
    .collective = kind::reduce_to_root,
    .name = "owner",
    .how = design::single_copy,
    .about = "each PE combines its part of all sources in place and writes it to the root",
    .steps = "1 + sync",
    .traffic = "n flags and a sync; n b read, b written",
    .cost = cost,
    .run = run_owner};

}  // namespace oshen::coll
