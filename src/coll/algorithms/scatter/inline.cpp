// Blocks that fit together into a flag slot: the root posts them and leaves, each PE copies its own.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {
namespace {

void run_inline(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes(), all = bytes * static_cast<std::size_t>(t.n_pes);
  const std::size_t mine = static_cast<std::size_t>(t.my_pe) * bytes;
  if (t.my_pe == job.root) {
    post(t, 0, job.source, all);
    memmove(job.dest, job.source + mine, bytes);
  } else {
    memcpy(job.dest, await_payload(job, job.root, all) + mine, bytes);
  }
}

double cost(const setting& s) {
  const double all = static_cast<double>(s.bytes) * s.n_pes;
  if (all > static_cast<double>(inline_limit(s))) return impossible;
  return steps(s, 1) + copies_alone(s, all) + copies(s, static_cast<double>(s.bytes));
}

}  // namespace

constexpr algorithm inline_scatter{
    .collective = kind::scatter, .name = "inline", .how = design::one_sided,
    .about = "all blocks travel in the root's flag slot",
    .needs = "at most 2 KiB in all (112 bytes where the team has no workspace)",
    .steps = "1", .traffic = "1 flag; n b to the flag slot, (n - 1) b to the dests",
    .cost = cost, .run = run_inline};

}  // namespace oshen::coll
