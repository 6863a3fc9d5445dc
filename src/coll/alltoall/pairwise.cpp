// In round i a PE sends to the PE i further on and hears the one i before, so that everybody has one partner each way.
#include "coll/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void run_pairwise(const task& job) {
  Wire wire(job);
  copy_own_block(job);
  for_pairs(job, wire, [&](int to, int from, int step) { exchange_blocks(job, wire, to, from, step); });
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  return alltoall_cost<Wire>(s, s.n_pes - 1);
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::alltoall,
          .name = name,
          .how = Wire::how,
          .about = "one partner each way in each round, at growing distance",
          .needs = "a room",
          .steps = "n - 1, and a sync after each 28",
          .traffic = "n (n - 1) messages; n (n - 1) b",
          .paper = thakur_paper,
          .cost = cost<Wire>,
          .run = run_pairwise<Wire>};
}

}  // namespace

constexpr algorithm pairwise_put_alltoall = row<put_wire>("pairwise-put");
constexpr algorithm pairwise_message_alltoall = row<message_wire>("pairwise-message");
constexpr algorithm pairwise_pull_alltoall = row<pull_wire>("pairwise-pull");

}  // namespace oshen::coll
