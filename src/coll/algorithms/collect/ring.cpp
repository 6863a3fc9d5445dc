// Blocks go round: in each step a PE hands on to the next PE what it was given in the step before.
#include "coll/algorithms/collect/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol, kind k>
void run_ring(const task& job) {
  const team& t = job.members;
  const blocks all = blocks::of<k>(job);
  Protocol protocol(job);
  all.fill_own(job);
  const int next = after(t, 1);
  const int before = after(t, t.n_pes - 1);
  for (int i = 0; i < t.n_pes - 1; ++i) {
    all.send(protocol, next, 0, after(t, (t.n_pes - i) % t.n_pes), 1);
    all.receive(protocol, before, 0, after(t, t.n_pes - 1 - i), 1);
  }
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  return collect_cost<Protocol>(s, s.n_pes - 1);
}

template <class Protocol, kind k>
constexpr algorithm row(const char* name) {
  return {.collective = k,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "blocks go round the team",
          .needs = "a workspace",
          .steps = "n - 1",
          .traffic = "n (n - 1) messages; n (n - 1) b",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Protocol>,
          .run = run_ring<Protocol, k>};
}

}  // namespace

constexpr algorithm ring_put_fcollect = row<put_protocol, kind::fcollect>("ring-put");
constexpr algorithm ring_message_fcollect = row<message_protocol, kind::fcollect>("ring-message");
constexpr algorithm ring_pull_fcollect = row<pull_protocol, kind::fcollect>("ring-pull");
constexpr algorithm ring_put_collect = row<put_protocol, kind::collect>("ring-put");
constexpr algorithm ring_message_collect = row<message_protocol, kind::collect>("ring-message");
constexpr algorithm ring_pull_collect = row<pull_protocol, kind::collect>("ring-pull");

}  // namespace oshen::coll
