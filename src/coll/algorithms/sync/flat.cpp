// Syncs in which all PEs of the team are alike.
#include "coll/algorithms/schedule.hpp"
#include "coll/algorithms/sync/flags.hpp"
#include "coll/protocol/matcher.hpp"
#include "coll/protocol/protocols.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"
#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {

// ---- shared line --------------------------------------------------------------------------------------------
//
// A small team meets in one cache line: each PE counts its own word up and waits until no word is behind. Two PEs
// that come one after the other pass one line, where separate flags pass two.

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
                                .about = "all PEs count in one cache line",
                                .needs = "at most 4 PEs, a CPU for each",
                                .steps = "1",
                                .traffic = "n flags in one line",
                                .cost = cost_of_shared_line,
                                .run = run_shared_line};

// ---- dissemination ------------------------------------------------------------------------------------------
//
// Dissemination barrier: in round r each PE tells the one 2^r further on, and waits to be told; after
// ceil(log2(n)) rounds everybody has heard of everybody.
// Hensgen, Finkel, Manber: Two algorithms for barrier synchronization. IJPP 17(1), 1988.

namespace {

// Apart, so that who comes last pays nothing for what the others need to wait.
[[gnu::noinline]] void await_round(const collective_call& call, const std::atomic<std::uint64_t>& received, int from,
                                   std::uint64_t present) {
  const wait_info info{.routine = call.routine, .pe = call.members.world_pe(from)};
  wait_for(*call.members.home, info,
           [&received, present] { return received.load(std::memory_order_acquire) >= present; });
}

// Who watches pays for it: without an observer a barrier is not an instruction longer.
template <bool watched>
void disseminate(const collective_call& call) {
  team& t = call.members;
  const std::uint64_t present = ++t.syncs;
  team_slot& mine = t.own_slot();
  for (int round = 0, distance = 1; distance < t.n_pes; ++round, distance *= 2) {
    const int to = after(t, distance);
    if constexpr (watched) observe(t, event::sync, to);
    set_flag(t, to, mine.round_flags[round].count, present);
    // A PE that tells us may be one sync ahead already: never more, since it needs us for the next.
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
  return steps(s, (s.spans ? 1 : s.cpu_for_each ? 1.5 : 2) * rounds(s));  // each round waits for a CPU
}

}  // namespace

constexpr algorithm dissemination_sync{.collective = kind::sync,
                                       .name = "dissemination",
                                       .protocol = protocol_kind::one_sided,
                                       .where = scope::any,
                                       .about = "log2(n) rounds of flags; everybody works, nobody leads",
                                       .steps = "ceil(log2 n)",
                                       .traffic = "n ceil(log2 n) flags",
                                       .paper = paper::hensgen,
                                       .cost = cost_of_dissemination,
                                       .run = run_dissemination};

// ---- messages -----------------------------------------------------------------------------------------------
//
// Dissemination by matched messages, the way of MPI libraries: empty ones, one to each round.

namespace {

// Syncs are not numbered among the collectives: several of them share a tag, and messages of one tag come in order.
constexpr int first_step = 128;

void run_messages(const collective_call& call) {
  team& t = call.members;
  ++t.syncs;
  matcher m(call);
  for (int round = 0, distance = 1; distance < t.n_pes; ++round, distance *= 2) {
    message to{.pe = after(t, distance), .tag = m.tag(first_step + round)};
    message from{.pe = after(t, t.n_pes - distance), .tag = m.tag(first_step + round)};
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
                                 .about = "log2(n) rounds of empty messages",
                                 .needs = "a workspace",
                                 .steps = "ceil(log2 n)",
                                 .traffic = "n ceil(log2 n) messages",
                                 .paper = paper::hensgen,
                                 .cost = cost_of_messages,
                                 .run = run_messages};

// ---- central ------------------------------------------------------------------------------------------------
//
// Central counter: PEs count themselves in at the team's first PE; the last one releases all, by one word that all look
// at. Two context switches for each PE however many there are, which is what counts when PEs share CPUs; and few pages
// for each, which is what counts when there are hundreds.

namespace {

void run_central(const collective_call& call) {
  team& t = call.members;
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
  const wait_info info{.routine = call.routine};
  wait_for(*t.home, info, [&] { return release.load(std::memory_order_acquire) >= present; });
  observe(t, event::sync, -1);
}

double cost_of_central(const team_shape& s) { return s.cpu_for_each ? steps(s, 2) + lines(s, s.n_pes) : steps(s, 2); }

}  // namespace

constexpr algorithm central_sync{.collective = kind::sync,
                                 .name = "central",
                                 .protocol = protocol_kind::one_sided,
                                 .about = "a counter at the first PE; the last to arrive releases all",
                                 .steps = "2",
                                 .traffic = "n atomic additions and 1 flag for all",
                                 .paper = paper::mellor_crummey,
                                 .cost = cost_of_central,
                                 .run = run_central};

// ---- tree ---------------------------------------------------------------------------------------------------
//
// A tree of four children to a node: PEs report upwards when their children have, and are released downwards.

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
                              .about = "a tree with four children to a node: up, and down again",
                              .steps = "2 ceil(log4 (3 n / 4))",
                              .traffic = "2 (n - 1) flags",
                              .paper = paper::mellor_crummey,
                              .cost = cost_of_tree,
                              .run = run_tree};

}  // namespace oshen::coll
