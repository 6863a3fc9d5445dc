// Hierarchical: blocks are gathered at the leaders of the domains, which exchange them by Bruck's schedule; the others
// read what their leader has. Each block goes to a domain once, however many PEs want it there.
#include "coll/algorithms/collect/blocks.hpp"
#include "coll/algorithms/schedule.hpp"
#include "coll/protocol/two_level_allgather.hpp"

namespace oshen::coll {
namespace {

double cost(const team_shape& s) {
  if (!has_hierarchy(s)) return impossible;
  const team_shape leaders = among_leaders(s), near = within_domain(s);
  return protocol_cost<put_protocol>(leaders, rounds(leaders), static_cast<double>(s.domain) * (s.domains - 1)) +
         protocol_cost<put_protocol>(near, 3, s.n_pes + s.domain) + lines(near, 2 * s.domain);
}

void run(const collective_call& call, put_protocol&) {
  const blocks all = blocks::of(call);
  all.fill_own(call);
  const auto at = [&](int pe) { return all.begin(pe); };
  two_level_allgather(call, call.dest, at).run();
}

}  // namespace

constexpr algorithm hierarchical_put_fcollect = domain_algorithm<run, cost>(
    kind::fcollect,
    {.about = "leaders gather their domains, exchange what they have, and are read by their domains",
     .steps = "3 + ceil(log2 d) with d domains",
     .traffic = "4 (n - d) + d ceil(log2 d) messages; (n - d) (n + 1) b, and (d - 1) n b between nodes"});
constexpr algorithm hierarchical_put_collect = hierarchical_put_fcollect.as(kind::collect);

}  // namespace oshen::coll
