// Hierarchical: PEs tell the leader of their domain, leaders meet by dissemination, and release their domains.
#include "coll/algorithms/papers.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/choosing/domain.hpp"
#include "coll/algorithms/sync/flags.hpp"

namespace oshen::coll {
namespace {

void meet_leaders(const task& job, const domain& d, std::uint64_t present) {
  team& t = job.members;
  for (int round = 0, distance = 1; distance < d.count; ++round, distance *= 2) {
    const int to = (d.mine + distance) % d.count * d.size;
    const int from = (d.mine - distance + d.count) % d.count * d.size;
    tell(t, to, t.own_slot().rounds[first_tree_flag + round].count, present);
    await_told(job, from, t.own_slot().rounds[first_tree_flag + round].count, present);
  }
}

void run_hierarchical(const task& job) {
  team& t = job.members;
  const domain d(t);
  const std::uint64_t present = ++t.syncs;
  if (t.my_pe != d.first) {
    observe(t, event::sync, d.first);
    t.own_slot().arrived.store(present, std::memory_order_release);
    wake(wakeup_of(t, d.first));
    await_told(job, d.first, t.own_slot().release, present);
    return;
  }
  for (int pe = d.first + 1; pe < d.end; ++pe) await_told(job, pe, t.slot_of(pe).arrived, present);
  meet_leaders(job, d, present);
  for (int pe = d.first + 1; pe < d.end; ++pe) tell(t, pe, t.own_slot().release, present);
}

double cost(const setting& s) {
  if (!has_hierarchy(s)) return impossible;
  const double peer_offsets = 2 + ceil_log2(static_cast<unsigned>(domains_of(s)));
  return s.cpu_for_each ? steps(s, 1.5 * peer_offsets) + lines(s, s.domain) : steps(s, peer_offsets);
}

}  // namespace

constexpr algorithm hierarchical_sync{
    .collective = kind::sync,
    .name = "hierarchical",
    .how = design::one_sided,
    .about = "leaders gather their domains, meet by dissemination, and release their domains",
    .needs = "OSHEN_COLL_DOMAIN",
    .steps = "2 + ceil(log2 d) with d domains",
    .traffic = "2 (n - d) + d ceil(log2 d) flags",
    .paper = paper::karonis,
    .cost = cost,
    .run = run_hierarchical};

}  // namespace oshen::coll
