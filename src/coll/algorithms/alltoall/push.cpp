// Every PE writes its blocks into their dests, which the standard lets it do early, then all meet.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {
namespace {

void run_push(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  char* place = job.dest + static_cast<std::size_t>(t.my_pe) * bytes;
  for (int i = 0; i < t.n_pes; ++i) {
    const int pe = after(t, i);  // staggered, so that not all write to one PE
    write_to(t, pe, place, job.source + static_cast<std::size_t>(pe) * bytes, bytes);
  }
  sync_team(t, job.routine);
}

double cost(const setting& s) {
  return sync_cost(s) + lines(s, s.n_pes) + copies(s, 0.4 * static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm push_alltoall{
    .collective = kind::alltoall,
    .name = "push",
    .how = design::single_copy,
    .about = "every PE writes each block where it belongs; ends with a sync",
    .steps = "1 + sync",
    .traffic = "a sync; n (n - 1) b copied",
    .cost = cost,
    .run = run_push};

}  // namespace oshen::coll
