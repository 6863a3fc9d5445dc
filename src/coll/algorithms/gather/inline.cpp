// Contributions that fit into a flag slot: everybody posts and leaves, the root collects.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/inline_data.hpp"

namespace oshen::coll {
namespace {

void run_inline(const task& job) {
  team& t = job.members;
  if (t.my_pe != job.root)
    post(t, 0, job.source, job.bytes());
  else
    collect_posted(job, job.bytes());
}

}  // namespace

constexpr algorithm inline_gather{
    .collective = kind::gather, .name = "inline", .how = design::one_sided,
    .about = "contributions travel in the flag slots; only the root waits",
    .needs = "at most 2 KiB from each PE (112 bytes where the team has no workspace)",
    .steps = "1", .traffic = "n - 1 flags; (n - 1) b to the flag slots, (n - 1) b to the dest",
    .cost = root_inline_cost, .run = run_inline};

}  // namespace oshen::coll
