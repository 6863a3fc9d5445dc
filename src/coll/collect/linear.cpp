// Every PE gives its block to every other, all at once.
#include "coll/collect/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Wire, kind k>
void run_linear(const task& job) {
  team& t = job.members;
  const blocks all = blocks::of<k>(job);
  Wire wire(job);
  wire.announce();
  char* own = all.place(t.my_pe);
  for (int i = 1; i < t.n_pes && job.elements != 0; ++i) wire.deposit(after(t, i), job.source, own, job.bytes());
  all.fill_own(job);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, t.n_pes - i);
    if (all.bytes(pe, 1) != 0) wire.accept(pe, all.source<k>(job, pe), all.place(pe), all.bytes(pe, 1));
  }
  wire.settle();
}

// Messages to all are under way at the same time.
template <class Wire>
double cost(const setting& s) {
  return collect_cost<Wire>(s, 1) + lines(s, s.n_pes);
}

template <class Wire, kind k>
constexpr algorithm row(const char* name) {
  return {.collective = k,
          .name = name,
          .how = Wire::how,
          .about = "every PE gives its block to every other",
          .needs = "a room",
          .steps = Wire::how == design::single_copy ? "1 + sync" : "1",
          .traffic = Wire::how == design::single_copy ? "n flags and a sync; n (n - 1) b" : "n (n - 1) messages; n (n - 1) b",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Wire>,
          .run = run_linear<Wire, k>};
}

}  // namespace

constexpr algorithm linear_put_fcollect = row<put_wire, kind::fcollect>("linear-put");
constexpr algorithm linear_message_fcollect = row<message_wire, kind::fcollect>("linear-message");
constexpr algorithm linear_pull_fcollect = row<pull_wire, kind::fcollect>("linear-pull");
constexpr algorithm linear_put_collect = row<put_wire, kind::collect>("linear-put");
constexpr algorithm linear_message_collect = row<message_wire, kind::collect>("linear-message");
constexpr algorithm linear_pull_collect = row<pull_wire, kind::collect>("linear-pull");

}  // namespace oshen::coll
