// Hierarchical: PEs tell the leader of their domain, leaders meet by dissemination, and release their domains.
#include "coll/algorithms/papers.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/choosing/domain.hpp"
#include "coll/algorithms/sync/flags.hpp"

namespace oshen::coll {
namespace {

void meet_leaders(const task& job, const domains& d, std::uint64_t present) {
  team& t = job.members;
  for (int round = 0, distance = 1; distance < d.count; ++round, distance *= 2) {
    std::atomic<std::uint64_t>& heard = t.own_slot().rounds[first_tree_flag + round].count;
    tell(t, d.leaders[d.after_mine(distance)], heard, present);
    await_told(job, d.leaders[d.after_mine(d.count - distance)], heard, present);
  }
}

void run_hierarchical(const task& job) {
  team& t = job.members;
  const domains& d = domains_of(t);
  const std::uint64_t present = ++t.syncs;
  if (t.my_pe != d.leader()) {
    observe(t, event::sync, d.leader());
    t.own_slot().arrived.store(present, std::memory_order_release);
    wake(wakeup_of(t, d.leader()));
    await_told(job, d.leader(), t.own_slot().release, present);
    return;
  }
  d.for_others(t.my_pe, [&](int pe) { await_told(job, pe, t.slot_of(pe).arrived, present); });
  meet_leaders(job, d, present);
  d.for_others(t.my_pe, [&](int pe) { tell(t, pe, t.own_slot().release, present); });
}

double cost(const setting& s) {
  if (!has_hierarchy(s)) return impossible;
  const setting leaders = among_leaders(s), near = within_domain(s);
  return steps(leaders, (s.spans || !s.cpu_for_each ? 1 : 1.5) * rounds(leaders)) +
         steps(near, s.cpu_for_each ? 3 : 2) + (s.cpu_for_each ? lines(near, s.domain) : 0);
}

}  // namespace

constexpr algorithm hierarchical_sync{
    .collective = kind::sync, .name = "hierarchical", .how = design::one_sided, .where = scope::any,
    .about = "leaders gather their domains, meet by dissemination, and release their domains",
    .needs = "domains: nodes, or OSHEN_COLL_DOMAIN",
    .steps = "2 + ceil(log2 d) with d domains",
    .traffic = "2 (n - d) + d ceil(log2 d) flags; d ceil(log2 d) between nodes",
    .paper = paper::karonis,
    .cost = cost, .run = run_hierarchical};

}  // namespace oshen::coll
