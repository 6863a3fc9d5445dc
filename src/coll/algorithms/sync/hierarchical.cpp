// Hierarchical: PEs signal the leader of their domain; leaders synchronise by dissemination and release their domains.
#include "coll/algorithms/schedule.hpp"
#include "coll/algorithms/sync/flags.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/domain.hpp"
#include "coll/select/registry.hpp"

namespace oshen::coll {
namespace {

void meet_leaders(const collective_call& call, const domains& d, std::uint64_t present) {
  team& t = call.members;
  for (int round = 0, distance = 1; distance < d.count; ++round, distance *= 2) {
    std::atomic<std::uint64_t>& received = t.own_slot().round_flags[first_tree_flag + round].count;
    tell(t, d.leaders[d.after_mine(distance)], received, present);
    await_told(call, d.leaders[d.after_mine(d.count - distance)], received, present);
  }
}

void run_hierarchical(const collective_call& call) {
  team& t = call.members;
  const domains& d = domains_of(t);
  const std::uint64_t present = ++t.syncs;
  if (t.my_pe != d.leader()) {
    observe(t, event::sync, d.leader());
    t.own_slot().arrived.store(present, std::memory_order_release);
    wake(wake_flag_of(t, d.leader()));
    await_told(call, d.leader(), t.own_slot().release, present);
    return;
  }
  d.for_others(t.my_pe, [&](int pe) { await_told(call, pe, t.slot_of(pe).arrived, present); });
  meet_leaders(call, d, present);
  d.for_others(t.my_pe, [&](int pe) { tell(t, pe, t.own_slot().release, present); });
}

double cost(const team_shape& s) {
  if (!has_hierarchy(s)) return impossible;
  const team_shape leaders = among_leaders(s), near = within_domain(s);
  return steps(leaders, (s.spans || !s.cpu_for_each ? 1 : 1.5) * rounds(leaders)) +
         steps(near, s.cpu_for_each ? 3 : 2) + (s.cpu_for_each ? lines(near, s.domain) : 0);
}

}  // namespace

constexpr algorithm hierarchical_sync{
    .collective = kind::sync,
    .name = "hierarchical",
    .protocol = protocol_kind::one_sided,
    .where = scope::any,
    .about = "PEs signal the leader of their domain; leaders synchronise by dissemination and release their domains",
    .needs = "several domains (nodes, or OSHEN_COLL_DOMAIN)",
    .steps = "2 + ceil(log2 d)",
    .traffic = "2 (n - d) + d ceil(log2 d) flags, d ceil(log2 d) of them between nodes",
    .paper = paper::karonis,
    .cost = cost,
    .run = run_hierarchical};

}  // namespace oshen::coll
