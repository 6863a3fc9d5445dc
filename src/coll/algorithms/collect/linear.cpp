// Every PE gives its block to every other, all at once.
#include "coll/algorithms/collect/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol, kind k>
void run_linear(const task& job) {
  team& t = job.members;
  const blocks all = blocks::of<k>(job);
  Protocol protocol(job);
  protocol.expose();
  char* own = all.place(t.my_pe);
  for (int i = 1; i < t.n_pes && job.elements != 0; ++i) protocol.deposit(after(t, i), job.source, own, job.bytes());
  all.fill_own(job);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, t.n_pes - i);
    if (all.bytes(pe, 1) != 0) protocol.accept(pe, all.source<k>(job, pe), all.place(pe), all.bytes(pe, 1));
  }
  protocol.settle();
}

// Messages to all are under way at the same time.
template <class Protocol>
double cost(const setting& s) {
  return collect_cost<Protocol>(s, 1) + lines(s, s.n_pes);
}

template <class Protocol, kind k>
constexpr algorithm row(const char* name) {
  return {.collective = k,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "every PE gives its block to every other",
          .needs = "a workspace",
          .steps = Protocol::how == design::single_copy ? "1 + sync" : "1",
          .traffic = Protocol::how == design::single_copy
                         ? "n flags and a sync; n (n - 1) b"
                         : "n (n - 1) messages; n (n - 1) b",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Protocol>,
          .run = run_linear<Protocol, k>};
}

}  // namespace

constexpr algorithm linear_put_fcollect = row<put_protocol, kind::fcollect>("linear-put");
constexpr algorithm linear_message_fcollect = row<message_protocol, kind::fcollect>("linear-message");
constexpr algorithm linear_pull_fcollect = row<pull_protocol, kind::fcollect>("linear-pull");
constexpr algorithm linear_put_collect = row<put_protocol, kind::collect>("linear-put");
constexpr algorithm linear_message_collect = row<message_protocol, kind::collect>("linear-message");
constexpr algorithm linear_pull_collect = row<pull_protocol, kind::collect>("linear-pull");

}  // namespace oshen::coll
