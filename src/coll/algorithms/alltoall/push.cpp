// Every PE writes its blocks into their dests, which the standard lets it do early, then all meet.
#include "coll/algorithms/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

void run_push(const task& job) {
  team& t = job.members;
  const own_blocks blocks{job};
  blocks.copy_own();
  for (const int pe : others(t)) {
    observe(t, event::copy, pe, job.bytes());
    blocks.copy(pe, at_pe(t, pe, blocks.dest(t.my_pe)));
  }
  sync_team(t, job.routine);
}

double cost(const setting& s) {
  return sync_cost(s) + lines(s, s.n_pes) + copies(s, 0.4 * static_cast<double>(s.bytes) * s.n_pes);
}
double strided_cost(const setting& s) {
  return sync_cost(s) + lines(s, 2) + copies(s, 2 * static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm push_alltoall{
    .collective = kind::alltoall, .name = "push", .how = design::single_copy,
    .about = "every PE writes each block where it belongs; ends with a sync",
    .steps = "1 + sync", .traffic = "a sync; n (n - 1) b copied",
    .cost = cost, .run = run_push};
constexpr algorithm push_alltoalls = push_alltoall.as(kind::alltoalls).at(strided_cost);

}  // namespace oshen::coll
