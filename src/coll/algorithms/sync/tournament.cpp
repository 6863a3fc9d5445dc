// A tournament with fixed winners: in round r the loser of each pair tells its winner and waits; PE 0 wins, and the
// winners wake whom they have beaten, last round first.
#include "coll/algorithms/papers.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/algorithms/sync/flags.hpp"

namespace oshen::coll {
namespace {

void run_tournament(const task& job) {
  team& t = job.members;
  const std::uint64_t present = ++t.syncs;
  int round = 0;
  for (; 1 << round < t.n_pes && (t.my_pe >> round & 1) == 0; ++round) {
    const int loser = t.my_pe + (1 << round);
    if (loser < t.n_pes) await_told(job, loser, t.own_slot().rounds[first_tree_flag + round].count, present);
  }
  if (t.my_pe != 0) {
    const int winner = t.my_pe - (1 << round);
    tell(t, winner, t.own_slot().rounds[first_tree_flag + round].count, present);
    await_told(job, winner, t.own_slot().release, present);
  }
  while (--round >= 0) {
    const int loser = t.my_pe + (1 << round);
    if (loser < t.n_pes) tell(t, loser, t.own_slot().release, present);
  }
}

double cost(const setting& s) { return steps(s, (s.cpu_for_each ? 3 : 2) * rounds(s)); }

}  // namespace

constexpr algorithm tournament_sync{
    .collective = kind::sync,
    .name = "tournament",
    .how = design::one_sided,
    .where = scope::any,
    .about = "pairs with fixed winners; the winners wake the losers",
    .steps = "2 ceil(log2 n)",
    .traffic = "2 (n - 1) flags",
    .paper = paper::hensgen,
    .cost = cost,
    .run = run_tournament};

}  // namespace oshen::coll
