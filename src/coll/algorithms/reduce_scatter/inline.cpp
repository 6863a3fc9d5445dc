// Vectors that fit into a flag slot: everybody posts its own, and combines its share of all.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/inline_data.hpp"
#include "coll/algorithms/reduce_scatter/parts.hpp"

namespace oshen::coll {
namespace {

void run_inline(const task& job) {
  team& t = job.members;
  const std::size_t whole = all_elements(job) * job.element_bytes;
  post(t, 0, job.source, whole);
  const part mine = part_of_pe(job, t.my_pe);
  alignas(cache_line) std::byte sum[long_payload_bytes];
  const std::size_t offset = mine.first * job.element_bytes, bytes = mine.elements * job.element_bytes;
  memcpy(sum, await_payload(job, 0, whole) + offset, bytes);
  for (int pe = 1; pe < t.n_pes; ++pe) job.combine(sum, await_payload(job, pe, whole) + offset, mine.elements);
  if (bytes != 0) memcpy(job.dest, sum, bytes);
}

double cost(const setting& s) {
  const double all = static_cast<double>(s.bytes) * s.n_pes;
  if (all > static_cast<double>(inline_limit(s))) return impossible;
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, 2 * all);
}

}  // namespace

constexpr algorithm inline_reduce_scatter{
    .collective = kind::reduce_scatter, .name = "inline", .how = design::one_sided,
    .about = "whole vectors travel in the flag slots; every PE combines its share of all",
    .needs = "vectors of at most 2 KiB (112 bytes where the team has no workspace)",
    .steps = "1", .traffic = "n flags; n^2 b to the flag slots, n^2 b read",
    .cost = cost, .run = run_inline};

}  // namespace oshen::coll
