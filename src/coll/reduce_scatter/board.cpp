// Vectors that fit into a bulletin: everybody posts its own, and combines its share of all.
#include "coll/algorithms.hpp"
#include "coll/cost.hpp"
#include "coll/reduce_scatter/shares.hpp"

namespace oshen::coll {
namespace {

void run_board(const task& job) {
  team& t = job.members;
  const std::size_t whole = all_elements(job) * job.element_bytes;
  post(t, 0, job.source, whole);
  const part mine = share_of(job, t.my_pe);
  const std::size_t offset = mine.first * job.element_bytes, bytes = mine.elements * job.element_bytes;
  alignas(cache_line) std::byte sum[placard_bytes];
  for (int pe = 0; pe < t.n_pes; ++pe) {
    const std::byte* theirs = await_payload(job, pe, whole) + offset;
    if (pe == 0)
      memcpy(sum, theirs, bytes);
    else
      job.combine(sum, theirs, mine.elements);
  }
  if (bytes != 0) memcpy(job.dest, sum, bytes);
}

double cost(const setting& s) {
  const double all = static_cast<double>(s.bytes) * s.n_pes;
  if (all > static_cast<double>(board_limit(s))) return impossible;
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, 2 * all);
}

}  // namespace

constexpr algorithm board_reduce_scatter{
    .collective = kind::reduce_scatter,
    .name = "board",
    .how = design::one_sided,
    .about = "whole vectors travel in the bulletins; every PE combines its share of all",
    .needs = "vectors of at most 2 KiB (112 bytes where the team has no room)",
    .steps = "1",
    .traffic = "n flags; n^2 b to the bulletins, n^2 b read",
    .cost = cost,
    .run = run_board};

}  // namespace oshen::coll
