// Algorithms of sync without domains.
#include "coll/algorithms/schedule.hpp"
#include "coll/algorithms/sync/flags.hpp"
#include "coll/protocol/matcher.hpp"
#include "coll/protocol/protocols.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"
#include "coll/shared_memory/peer_memory.hpp"

namespace oshen::coll {

// ---- shared line --------------------------------------------------------------------------------------------
//
// A small team uses one cache line: each PE increments its own counter there and waits until no counter is behind. Two
// PEs that arrive in sequence move one line, while separate flags would move two.

namespace {

void run_shared_line(const collective_call& call) {
  team& t = call.members;
  const std::uint64_t present = ++t.syncs;
  shared_line& line = t.slot_of(0).meeting;
  observe(t, event::sync, -1);
  line.count[t.my_pe].store(present, std::memory_order_release);
  wake_all(t);
  for (const int pe : others(t)) await_told(call, pe, line.count[pe], present);
}

double cost_of_shared_line(const team_shape& s) {
  return s.n_pes <= most_sharers && s.cpu_for_each ? steps(s, 0.5 * s.n_pes) : impossible;
}

}  // namespace

constexpr algorithm shared_sync{.collective = kind::sync,
                                .name = "shared-line",
                                .protocol = protocol_kind::one_sided,
                                .about = "each PE has a counter in one shared cache line",
                                .needs = "at most 4 PEs, a CPU for each",
                                .steps = "1",
                                .traffic = "n flags in one line",
                                .cost = cost_of_shared_line,
                                .run = run_shared_line};

// ---- dissemination ------------------------------------------------------------------------------------------
//
// Dissemination barrier: in round r each PE signals the PE at distance 2^r, and awaits a signal. After ceil(log2 n)
// rounds every PE knows that all PEs have entered.

namespace {

// A function of its own, so that the last PE to arrive does not pay for registers that only a wait needs.
[[gnu::noinline]] void await_round(const collective_call& call, const std::atomic<std::uint64_t>& received, int from,
                                   std::uint64_t present) {
  const wait_info info{.routine = call.routine, .pe = call.members.world_pe(from)};
  wait_for(*call.members.home, info,
           [&received, present] { return received.load(std::memory_order_acquire) >= present; });
}

// Only a team with an observer pays for it: without one, the rounds have no additional instruction.
template <bool watched>
void disseminate(const collective_call& call) {
  team& t = call.members;
  const std::uint64_t present = ++t.syncs;
  team_slot& mine = t.own_slot();
  for (int round = 0, distance = 1; distance < t.n_pes; ++round, distance *= 2) {
    const int to = after(t, distance);
    if constexpr (watched) observe(t, event::sync, to);
    set_flag(t, to, mine.round_flags[round].count, present);
    // The sender may be one sync ahead, but not further, because it needs this PE for the next one.
    const std::atomic<std::uint64_t>& received = mine.round_flags[round].count;
    if constexpr (watched) observe(t, event::sync, -1);
    if (received.load(std::memory_order_acquire) < present)
      await_round(call, received, after(t, t.n_pes - distance), present);
  }
}

[[gnu::noinline]] void run_watched(const collective_call& call) { disseminate<true>(call); }

void run_dissemination(const collective_call& call) {
  if (call.members.watcher == nullptr) [[likely]]
    return disseminate<false>(call);
  run_watched(call);
}

double cost_of_dissemination(const team_shape& s) {
  // If PEs share CPUs, each round waits for a CPU.
  return steps(s, (s.spans ? 1 : s.cpu_for_each ? 1.5 : 2) * rounds(s));
}

}  // namespace

constexpr algorithm dissemination_sync{.collective = kind::sync,
                                       .name = "dissemination",
                                       .protocol = protocol_kind::one_sided,
                                       .where = scope::any,
                                       .about = "in round r each PE signals the PE at distance 2^r",
                                       .steps = "ceil(log2 n)",
                                       .traffic = "n ceil(log2 n) flags",
                                       .paper = paper::hensgen,
                                       .cost = cost_of_dissemination,
                                       .run = run_dissemination};

// ---- messages -----------------------------------------------------------------------------------------------
//
// Dissemination by matched messages, as in MPI libraries: one empty message in each round.

namespace {

// Syncs are not counted as collectives, so several syncs use the same tags. Messages with one tag match in order.
constexpr int first_step = 128;

void run_messages(const collective_call& call) {
  team& t = call.members;
  ++t.syncs;
  matcher m(call);
  for (int round = 0, distance = 1; distance < t.n_pes; ++round, distance *= 2) {
    matched_message to{.pe = after(t, distance), .tag = m.tag(first_step + round)};
    matched_message from{.pe = after(t, t.n_pes - distance), .tag = m.tag(first_step + round)};
    m.send(to);
    m.receive(from);
    m.complete(from);
    m.complete(to);
  }
}

double cost_of_messages(const team_shape& s) { return protocol_cost<message_protocol>(s, rounds(s), 0); }

}  // namespace

constexpr algorithm message_sync{.collective = kind::sync,
                                 .name = "dissemination-message",
                                 .protocol = protocol_kind::two_sided,
                                 .about = "dissemination by empty messages",
                                 .steps = "ceil(log2 n)",
                                 .traffic = "n ceil(log2 n) messages",
                                 .paper = paper::hensgen,
                                 .cost = cost_of_messages,
                                 .run = run_messages};

// ---- central ------------------------------------------------------------------------------------------------
//
// Central counter: every PE increments a counter at the team's first PE. The last one to arrive releases all PEs by one
// flag that all of them read. Each PE needs two context switches, whatever the number of PEs; this determines the cost
// if PEs share CPUs. Each PE touches few pages, which matters for hundreds of PEs.

namespace {

void run_central(const collective_call& call) {
  team& t = call.members;
  const std::uint64_t present = ++t.syncs;
  const auto n = static_cast<std::uint64_t>(t.n_pes);
  std::atomic<std::uint64_t>& arrivals = t.slot_of(0).n_arrived;
  std::atomic<std::uint64_t>& release = t.slot_of(0).release;
  observe(t, event::sync, 0);
  if ((arrivals.fetch_add(1, std::memory_order_acq_rel) + 1) % n == 0) {
    release.store(present, std::memory_order_release);  // pairs with the acquire below
    wake_all(t);
    return;
  }
  const wait_info info{.routine = call.routine};
  wait_for(*t.home, info, [&] { return release.load(std::memory_order_acquire) >= present; });
  observe(t, event::sync, -1);
}

double cost_of_central(const team_shape& s) { return s.cpu_for_each ? steps(s, 2) + lines(s, s.n_pes) : steps(s, 2); }

}  // namespace

constexpr algorithm central_sync{.collective = kind::sync,
                                 .name = "central",
                                 .protocol = protocol_kind::one_sided,
                                 .about = "PEs count at the first PE, and the last to arrive releases all",
                                 .steps = "2",
                                 .traffic = "n atomic additions and 1 flag for all",
                                 .paper = paper::mellor_crummey,
                                 .cost = cost_of_central,
                                 .run = run_central};

// ---- tree ---------------------------------------------------------------------------------------------------
//
// A tree in which each PE has up to four children. A PE signals its parent when all its children have signalled it; the
// releases then go down the tree.

namespace {

constexpr int arity = 4;

void run_tree(const collective_call& call) {
  team& t = call.members;
  const std::uint64_t present = ++t.syncs;
  const int first = t.my_pe * arity + 1, end = first + arity < t.n_pes ? first + arity : t.n_pes;
  for (int child = first; child < end; ++child)
    await_told(call, child, t.own_slot().round_flags[first_tree_flag + child - first].count, present);
  if (t.my_pe != 0) {
    const int parent = (t.my_pe - 1) / arity, which = (t.my_pe - 1) % arity;
    tell(t, parent, t.own_slot().round_flags[first_tree_flag + which].count, present);
    await_told(call, parent, t.own_slot().release, present);
  }
  for (int child = first; child < end; ++child) tell(t, child, t.own_slot().release, present);
}

double cost_of_tree(const team_shape& s) {
  int levels = 0;
  for (int reached = 1, width = 1; reached < s.n_pes; ++levels) reached += width *= arity;
  return steps(s, (s.cpu_for_each && !s.spans ? 3.4 : 2) * levels);
}

}  // namespace

constexpr algorithm tree_sync{.collective = kind::sync,
                              .name = "tree",
                              .protocol = protocol_kind::one_sided,
                              .where = scope::any,
                              .about = "signals go up a tree with four children per node, and down again",
                              .steps = "2 ceil(log4 (3 n / 4))",
                              .traffic = "2 (n - 1) flags",
                              .paper = paper::mellor_crummey,
                              .cost = cost_of_tree,
                              .run = run_tree};

}  // namespace oshen::coll
