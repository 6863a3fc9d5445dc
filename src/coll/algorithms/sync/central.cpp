// Central counter: PEs count themselves in at the team's first PE; the last one releases all, by one word that all look
// at. Two context switches for each PE however many there are, which is what counts when PEs share CPUs; and few pages
// for each, which is what counts when there are hundreds.
#include "coll/algorithms/papers.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {
namespace {

void run_central(const task& job) {
  team& t = job.members;
  const std::uint64_t present = ++t.syncs;
  const auto n = static_cast<std::uint64_t>(t.n_pes);
  std::atomic<std::uint64_t>& arrivals = t.slot_of(0).arrivals;
  std::atomic<std::uint64_t>& release = t.slot_of(0).release;
  observe(t, event::sync, 0);
  if ((arrivals.fetch_add(1, std::memory_order_acq_rel) + 1) % n == 0) {
    release.store(present, std::memory_order_release);
    wake_all(t);
    return;
  }
  const wait_info info{.routine = job.routine};
  wait_for(*t.home, info, [&] { return release.load(std::memory_order_acquire) >= present; });
  observe(t, event::sync, -1);
}

double cost(const setting& s) { return s.cpu_for_each ? steps(s, 2) + lines(s, s.n_pes) : steps(s, 2); }

}  // namespace

constexpr algorithm central_sync{
    .collective = kind::sync, .name = "central", .how = design::one_sided,
    .about = "a counter at the first PE; the last to arrive releases all",
    .steps = "2", .traffic = "n atomic additions and 1 flag for all",
    .paper = paper::mellor_crummey,
    .cost = cost, .run = run_central};

}  // namespace oshen::coll
