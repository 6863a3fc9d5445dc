// For vectors that fit into a flag slot or a long payload. Every PE posts its vector, and combines its share of all
// vectors.
#include "coll/algorithms/inline_data.hpp"
#include "coll/algorithms/reduce_scatter/parts.hpp"
#include "coll/select/registry.hpp"

namespace oshen::coll {
namespace {

void run_inline(const collective_call& call) {
  team& t = call.members;
  const std::size_t whole = all_elements(call) * call.element_bytes;
  post(t, 0, call.source, whole);
  const element_range mine = share_of(call, t.my_pe);
  alignas(cache_line) std::byte sum[long_payload_bytes];
  const std::size_t offset = mine.first * call.element_bytes, bytes = mine.elements * call.element_bytes;
  memcpy(sum, await_payload(call, 0, whole) + offset, bytes);
  for (int pe = 1; pe < t.n_pes; ++pe) call.combine(sum, await_payload(call, pe, whole) + offset, mine.elements);
  if (bytes != 0) memcpy(call.dest, sum, bytes);
}

double cost(const team_shape& s) {
  const double all = static_cast<double>(s.bytes) * s.n_pes;
  if (all > static_cast<double>(long_payload_bytes)) return impossible;
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, 2 * all);
}

}  // namespace

constexpr algorithm inline_reduce_scatter{
    .collective = kind::reduce_scatter,
    .name = "inline",
    .protocol = protocol_kind::one_sided,
    .about = "whole vectors travel in the flag slots; every PE combines its share of all",
    .needs = "vectors of at most 2 KiB",
    .steps = "1",
    .traffic = "n flags; n^2 b bytes to the flag slots, n^2 b read",
    .cost = cost,
    .run = run_inline};

}  // namespace oshen::coll
