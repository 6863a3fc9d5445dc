// A small team meets in one cache line: each PE counts its own word up and waits until no word is behind. Two PEs
// that come one after the other pass one line, where separate flags pass two.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/algorithms/sync/flags.hpp"

namespace oshen::coll {
namespace {

void run_shared_line(const task& job) {
  team& t = job.members;
  const std::uint64_t present = ++t.syncs;
  shared_line& line = t.slot_of(0).meeting;
  observe(t, event::sync, -1);
  line.count[t.my_pe].store(present, std::memory_order_release);
  wake_all(t);
  for (const int pe : others(t)) await_told(job, pe, line.count[pe], present);
}

double cost(const setting& s) {
  return s.n_pes <= most_sharers && s.cpu_for_each ? steps(s, 0.5 * s.n_pes) : impossible;
}

}  // namespace

constexpr algorithm shared_sync{
    .collective = kind::sync, .name = "shared-line", .how = design::one_sided,
    .about = "all PEs count in one cache line",
    .needs = "at most 4 PEs, a CPU for each",
    .steps = "1", .traffic = "n flags in one line",
    .cost = cost, .run = run_shared_line};

}  // namespace oshen::coll
