// Central counter: PEs count themselves in at the team's first PE; the last one releases all. Two context
// switches for each PE however many there are, which is what counts when PEs share CPUs.
#include "coll/algorithms.hpp"
#include "coll/cost.hpp"
#include "coll/reach.hpp"

namespace oshen::coll {
namespace {

void run_central(const task& job) {
  team& t = job.members;
  const std::uint64_t present = ++t.syncs;
  const auto n = static_cast<std::uint64_t>(t.n_pes);
  std::atomic<std::uint64_t>& arrivals = t.slot_of(0).arrivals;
  if ((arrivals.fetch_add(1, std::memory_order_acq_rel) + 1) % n == 0) {
    for (int i = 0; i < t.n_pes; ++i) t.slot_of(i).release.store(present, std::memory_order_release);
    ring_all(t);
    return;
  }
  const std::atomic<std::uint64_t>& release = t.own_slot().release;
  const wait_note note{.routine = job.routine};
  wait_for(*t.home, note, [&] { return release.load(std::memory_order_acquire) >= present; });
}

double cost(const setting& s) {
  return s.cpu_for_each ? steps(s, 2) + lines(s, s.n_pes) : steps(s, 2);
}

}  // namespace

constexpr algorithm central_sync{
    .collective = kind::sync,
    .name = "central",
    .how = design::one_sided,
    .about = "a counter at the first PE; the last to arrive releases all",
    .steps = "2",
    .traffic = "2 n flags",
    .paper = "Mellor-Crummey, Scott: Algorithms for scalable synchronization on shared-memory multiprocessors, TOCS 9(1), 1991, "
             "doi:10.1145/103727.103729",
    .cost = cost,
    .run = run_central};

}  // namespace oshen::coll
