// Contributions that fit beside a flag slot: everybody posts, everybody reads all; no acknowledgement.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/inline_data.hpp"

namespace oshen::coll {
namespace {

void run_inline(const task& job) {
  const std::size_t bytes = job.bytes();
  post(job.members, 0, job.source, bytes);
  collect_posted(job, bytes);
}

double cost(const setting& s) { return inline_cost(s, s.bytes, s.n_pes - 1); }

}  // namespace

constexpr algorithm inline_fcollect{
    .collective = kind::fcollect, .name = "inline", .how = design::one_sided,
    .about = "contributions travel in the flag slots",
    .needs = "at most 2048 bytes from each PE (112 in teams without a workspace)",
    .steps = "1", .traffic = "n flags; n b to the flag slots, n (n - 1) b to the dests",
    .cost = cost, .run = run_inline};

}  // namespace oshen::coll
