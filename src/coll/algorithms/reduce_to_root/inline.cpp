// Vectors that fit into a flag slot: everybody posts and leaves, the root combines them in the order of the team.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/inline_data.hpp"

namespace oshen::coll {
namespace {

void run_inline(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  post(t, 0, job.source, bytes);
  if (t.my_pe != job.root) return;
  alignas(cache_line) std::byte sum[long_payload_bytes];
  combine_posted(job, t.n_pes, bytes, sum);
  memcpy(job.dest, sum, bytes);
}

}  // namespace

constexpr algorithm inline_reduce_to_root{
    .collective = kind::reduce_to_root, .name = "inline", .how = design::one_sided,
    .about = "vectors travel in the flag slots, the root combines them; only the root waits",
    .needs = "at most 2 KiB (112 bytes where the team has no workspace)",
    .steps = "1", .traffic = "n flags; n b to the flag slots, n b read",
    .cost = root_inline_cost, .run = run_inline};

}  // namespace oshen::coll
