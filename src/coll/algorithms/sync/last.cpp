#include "coll/algorithms/sync/last.hpp"

#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {
namespace {

std::atomic<std::uint64_t>& endings_of(const team& t) { return at_pe(t, 0, t.ctx.control)->endings[t.slot]; }

// As central.cpp, but all look at a word that is not wiped with the slot: how many teams of this slot have ended.
void count_and_part(const task& job) {
  team& t = job.members;
  const auto n = static_cast<std::uint64_t>(t.n_pes);
  std::atomic<std::uint64_t>& ended = endings_of(t);
  observe(t, event::sync, 0);
  if ((t.slot_of(0).arrivals.fetch_add(1, std::memory_order_acq_rel) + 1) % n == 0) {
    ended.store(t.ended_before + 1, std::memory_order_release);
    wake_all(t);
    return;
  }
  const wait_info info{.routine = job.routine};
  wait_for(*t.home, info, [&] { return ended.load(std::memory_order_acquire) > t.ended_before; });
}

}  // namespace

// Nothing of the slot is older than the team, so its end cannot come before this.
void note_endings(team& t) {
  if (!t.spans) t.ended_before = endings_of(t).load(std::memory_order_relaxed);
}

// Where PEs share CPUs every round of the dissemination waits for all of them.
void sync_and_part(const task& job) {
  if (job.members.home->waiting.cpu_for_each || job.members.spans)
    dissemination_sync.run(job);
  else
    count_and_part(job);
}

}  // namespace oshen::coll
