// For vectors that fit into a flag slot or a long payload. Every PE posts its vector, and combines all vectors in the
// same order, so that all PEs get the same bits. No acknowledgement is needed.
#include "coll/algorithms/inline_data.hpp"
#include "coll/select/registry.hpp"

namespace oshen::coll {
namespace {

void run_inline(const collective_call& call) {
  team& t = call.members;
  const std::size_t bytes = call.bytes();
  alignas(16) std::byte sum[long_payload_bytes];
  post(t, 0, call.source, bytes);
  combine_posted(call, t.n_pes, bytes, sum);
  memcpy(call.dest, sum, bytes);
}

double cost(const team_shape& s) { return inline_cost(s, s.bytes, s.n_pes - 1); }

}  // namespace

constexpr algorithm inline_reduce{.collective = kind::reduce,
                                  .name = "inline",
                                  .protocol = protocol_kind::one_sided,
                                  .about = "vectors travel in the flag slots; every PE combines all of them",
                                  .needs = "at most 2 KiB",
                                  .steps = "1",
                                  .traffic = "n flags; n b bytes to the flag slots, n^2 b read",
                                  .cost = cost,
                                  .run = run_inline};

}  // namespace oshen::coll
