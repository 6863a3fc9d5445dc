// Contributions that fit into a flag slot: everybody posts and leaves, the root collects.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {
namespace {

void run_inline(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  if (t.my_pe != job.root) {
    post(t, 0, job.source, bytes);
    return;
  }
  memmove(job.dest + static_cast<std::size_t>(t.my_pe) * bytes, job.source, bytes);
  for (const int pe : others(t))
    memcpy(job.dest + static_cast<std::size_t>(pe) * bytes, await_payload(job, pe, bytes), bytes);
}

double cost(const setting& s) {
  const auto b = static_cast<double>(s.bytes);
  if (s.bytes > inline_limit(s)) return impossible;
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, b) + copies_alone(s, b * s.n_pes);
}

}  // namespace

constexpr algorithm inline_gather{
    .collective = kind::gather,
    .name = "inline",
    .how = design::one_sided,
    .about = "contributions travel in the flag slots; only the root waits",
    .needs = "at most 2 KiB from each PE (112 bytes where the team has no workspace)",
    .steps = "1",
    .traffic = "n - 1 flags; (n - 1) b to the flag slots, (n - 1) b to the dest",
    .cost = cost,
    .run = run_inline};

}  // namespace oshen::coll
