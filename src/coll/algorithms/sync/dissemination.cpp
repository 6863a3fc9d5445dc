// Dissemination barrier: in round r each PE tells the one 2^r further on, and waits to be told; after
// ceil(log2(n)) rounds everybody has heard of everybody.
// Hensgen, Finkel, Manber: Two algorithms for barrier synchronization. IJPP 17(1), 1988.
#include "coll/algorithms/papers.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {
namespace {

// Apart, so that who comes last pays nothing for what the others need to wait.
[[gnu::noinline]] void await_round(const task& job, const std::atomic<std::uint64_t>& heard, int from,
                                   std::uint64_t present) {
  const wait_info info{.routine = job.routine, .pe = job.members.world_pe(from)};
  wait_for(*job.members.home, info, [&heard, present] { return heard.load(std::memory_order_acquire) >= present; });
}

// Who watches pays for it: without an observer a barrier is not an instruction longer.
template <bool watched>
void disseminate(const task& job) {
  team& t = job.members;
  const std::uint64_t present = ++t.syncs;
  team_slot& mine = t.own_slot();
  for (int round = 0, distance = 1; distance < t.n_pes; ++round, distance *= 2) {
    const int to = after(t, distance);
    if constexpr (watched) observe(t, event::sync, to);
    set_word(t, to, mine.rounds[round].count, present);
    // A PE that tells us may be one sync ahead already: never more, since it needs us for the next.
    const std::atomic<std::uint64_t>& heard = mine.rounds[round].count;
    if constexpr (watched) observe(t, event::sync, -1);
    if (heard.load(std::memory_order_acquire) < present) await_round(job, heard, after(t, t.n_pes - distance), present);
  }
}

[[gnu::noinline]] void run_watched(const task& job) { disseminate<true>(job); }

void run_dissemination(const task& job) {
  if (job.members.watcher == nullptr) [[likely]] return disseminate<false>(job);
  run_watched(job);
}

double cost(const setting& s) {
  return steps(s, (s.spans ? 1 : s.cpu_for_each ? 1.5 : 2) * rounds(s));  // each round waits for a CPU
}

}  // namespace

constexpr algorithm dissemination_sync{
    .collective = kind::sync, .name = "dissemination", .how = design::one_sided, .where = scope::any,
    .about = "log2(n) rounds of flags; everybody works, nobody leads",
    .steps = "ceil(log2 n)", .traffic = "n ceil(log2 n) flags",
    .paper = paper::hensgen,
    .cost = cost, .run = run_dissemination};

}  // namespace oshen::coll
