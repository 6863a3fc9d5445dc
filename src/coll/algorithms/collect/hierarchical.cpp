// Hierarchical: the leader of each domain gathers its blocks, leaders exchange blocks by Bruck's schedule, and the
// other PEs read all blocks from their leader. Each block is sent to a domain once, however many PEs the domain has.
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
    {.about = "leaders gather the blocks of their domains and exchange them; the other PEs read all blocks from their "
              "leader",
     .steps = "3 + ceil(log2 d)",
     .traffic = "4 (n - d) + d ceil(log2 d) messages; (n - d) (n + 1) b bytes, and (d - 1) n b bytes between nodes"});
constexpr algorithm hierarchical_put_collect = hierarchical_put_fcollect.as(kind::collect);

}  // namespace oshen::coll
