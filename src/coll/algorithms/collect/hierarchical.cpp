// Hierarchical: blocks are gathered at the leaders of the domains, which exchange them by Bruck's schedule; the others
// read what their leader has. Each block goes to a domain once, however many PEs want it there.
#include "coll/algorithms/collect/schedule.hpp"
#include "coll/protocol/two_level_allgather.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct hierarchical {
  static constexpr schedule_words words = over_domains(
      {.about = "leaders gather their domains, exchange what they have, and are read by their domains",
       .steps = "3 + ceil(log2 d) with d domains",
       .traffic = "4 (n - d) + d ceil(log2 d) messages; (n - d) (n + 1) b, and (d - 1) n b between nodes"});

  static double cost(const setting& s) {
    if (!has_hierarchy(s)) return impossible;
    const setting leaders = among_leaders(s), near = within_domain(s);
    return protocol_cost<Protocol>(leaders, rounds(leaders), static_cast<double>(s.domain) * (s.domains - 1)) +
           protocol_cost<Protocol>(near, 3, s.n_pes + s.domain) + lines(near, 2 * s.domain);
  }

  static void run(const task& job, Protocol&) {
    const blocks all = blocks::of(job);
    all.fill_own(job);
    const auto at = [&](int pe) { return all.begin(pe); };
    two_level_allgather(job, job.dest, at).run();
  }
};

}  // namespace

constexpr algorithm hierarchical_put_fcollect = row_of<hierarchical, put_protocol>(kind::fcollect);
constexpr algorithm hierarchical_put_collect = row_of<hierarchical, put_protocol>(kind::collect);

}  // namespace oshen::coll
