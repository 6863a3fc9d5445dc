// Contributions that fit beside a flag slot: everybody posts, everybody reads all; no acknowledgement.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/inline_cost.hpp"

namespace oshen::coll {
namespace {

void run_inline(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  post(t, 0, job.source, bytes);
  memmove(job.dest + static_cast<std::size_t>(t.my_pe) * bytes, job.source, bytes);
  for (const int pe : others(t))
    memcpy(job.dest + static_cast<std::size_t>(pe) * bytes, await_payload(job, pe, bytes), bytes);
}

double cost(const setting& s) { return inline_cost(s, s.bytes, s.n_pes - 1); }

}  // namespace

constexpr algorithm inline_fcollect{
    .collective = kind::fcollect,
    .name = "inline",
    .how = design::one_sided,
    .about = "contributions travel in the flag slots",
    .needs = "at most 2048 bytes from each PE (112 in teams without a workspace)",
    .steps = "1",
    .traffic = "n flags; n b to the flag slots, n (n - 1) b to the dests",
    .cost = cost,
    .run = run_inline};

}  // namespace oshen::coll
