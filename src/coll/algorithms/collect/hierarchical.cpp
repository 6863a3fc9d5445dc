// Hierarchical: blocks are gathered at the leaders of the domains, which exchange them by Bruck's schedule; the others
// read what their leader has. Each block goes to a domain once, however many PEs want it there.
#include "coll/algorithms/collect/schedule.hpp"
#include "coll/algorithms/domain_rows.hpp"
#include "coll/protocol/two_level_allgather.hpp"

namespace oshen::coll {
namespace {

double cost(const setting& s) {
  if (!has_hierarchy(s)) return impossible;
  const setting leaders = among_leaders(s), near = within_domain(s);
  return protocol_cost<put_protocol>(leaders, rounds(leaders), static_cast<double>(s.domain) * (s.domains - 1)) +
         protocol_cost<put_protocol>(near, 3, s.n_pes + s.domain) + lines(near, 2 * s.domain);
}

void run(const task& job, put_protocol&) {
  const blocks all = blocks::of(job);
  all.fill_own(job);
  const auto at = [&](int pe) { return all.begin(pe); };
  two_level_allgather(job, job.dest, at).run();
}

}  // namespace

constexpr algorithm hierarchical_put_fcollect = domain_row<run, cost>(
    kind::fcollect,
    {.about = "leaders gather their domains, exchange what they have, and are read by their domains",
     .steps = "3 + ceil(log2 d) with d domains",
     .traffic = "4 (n - d) + d ceil(log2 d) messages; (n - d) (n + 1) b, and (d - 1) n b between nodes"});
constexpr algorithm hierarchical_put_collect = hierarchical_put_fcollect.as(kind::collect);

}  // namespace oshen::coll
