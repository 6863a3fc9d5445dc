// Dissemination barrier: in round r each PE tells the one 2^r further on, and waits to be told; after
// ceil(log2(n)) rounds everybody has heard of everybody.
// Hensgen, Finkel, Manber: Two algorithms for barrier synchronization. IJPP 17(1), 1988.
#include "coll/algorithms.hpp"
#include "coll/cost.hpp"
#include "coll/reach.hpp"

namespace oshen::coll {
namespace {

void run_dissemination(const task& job) {
  team& t = job.members;
  const std::uint64_t present = ++t.syncs;
  team_slot& mine = t.own_slot();
  for (int round = 0, distance = 1; distance < t.n_pes; ++round, distance *= 2) {
    const int to = after(t, distance);
    t.slot_of(to).rounds[round].count.store(present, std::memory_order_release);
    ring(byte_offset(t.reach.control, t.reach.hop_to(static_cast<std::uint32_t>(to)))->bell);
    // A PE that tells us may be one sync ahead already: never more, since it needs us for the next.
    const std::atomic<std::uint64_t>& heard = mine.rounds[round].count;
    const wait_note note{.routine = job.routine, .pe = t.world_pe(after(t, t.n_pes - distance))};
    wait_for(*t.home, note, [&] { return heard.load(std::memory_order_acquire) >= present; });
  }
}

double cost(const setting& s) {
  return steps(s, (s.cpu_for_each ? 1.5 : 2) * rounds(s));  // each round waits for a CPU
}

}  // namespace

constexpr algorithm dissemination_sync{
    .collective = kind::sync,
    .name = "dissemination",
    .how = design::one_sided,
    .about = "log2(n) rounds of flags; everybody works, nobody leads",
    .steps = "ceil(log2 n)",
    .traffic = "n ceil(log2 n) flags",
    .paper = "Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, IJPP 17(1), 1988, "
             "doi:10.1007/BF01379320",
    .cost = cost,
    .run = run_dissemination};

}  // namespace oshen::coll
