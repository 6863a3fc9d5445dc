// Each PE owns a part of the vector: it combines that part of every source in place, and writes it into the root's
// dest. In place is safe: a part is read and written by its owner only.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/partition.hpp"

namespace oshen::coll {
namespace {

void run_partitioned(const task& job) {
  team& t = job.members;
  combine_own_part(job, [&](std::size_t offset, const char* sum, std::size_t bytes) {
    write_to(t, job.root, job.dest + offset, sum, bytes);
  });
  sync_team(t, job.routine);
}

double cost(const setting& s) {
  const auto b = static_cast<double>(s.bytes);
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, b + b / s.n_pes) + sync_cost(s);
}

}  // namespace

constexpr algorithm partitioned_reduce_to_root{
    .collective = kind::reduce_to_root, .name = "partitioned", .how = design::single_copy,
    .about = "each PE combines its part of all sources in place and writes it to the root",
    .steps = "1 + sync", .traffic = "n flags and a sync; n b read, b written",
    .cost = cost, .run = run_partitioned};

}  // namespace oshen::coll
