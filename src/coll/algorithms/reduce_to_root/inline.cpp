// For vectors that fit into a flag slot or a long payload. Every PE posts and leaves, and the root combines the vectors
// in the order of the team.
#include "coll/algorithms/inline_data.hpp"
#include "coll/select/registry.hpp"

namespace oshen::coll {
namespace {

void run_inline(const collective_call& call) {
  team& t = call.members;
  const std::size_t bytes = call.bytes();
  post(t, 0, call.source, bytes);
  if (t.my_pe != call.root) return;
  alignas(cache_line) std::byte sum[long_payload_bytes];
  combine_posted(call, t.n_pes, bytes, sum);
  memcpy(call.dest, sum, bytes);
}

}  // namespace

constexpr algorithm inline_reduce_to_root{
    .collective = kind::reduce_to_root,
    .name = "inline",
    .protocol = protocol_kind::one_sided,
    .about = "vectors travel in the flag slots, and the root combines them; only the root waits",
    .needs = "at most 2 KiB",
    .steps = "1",
    .traffic = "n flags; n b bytes to the flag slots, n b read",
    .cost = root_inline_cost,
    .run = run_inline};

}  // namespace oshen::coll
