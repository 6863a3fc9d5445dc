// In round i a PE sends to the PE i further on and hears the one i before, so that everybody has one partner each way.
#include "coll/algorithms/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_pairwise(const task& job) {
  Protocol protocol(job);
  copy_own_block(job);
  for_pairs(job, protocol, [&](int to, int from, int step) { exchange_blocks(job, protocol, to, from, step); });
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  return alltoall_cost<Protocol>(s, s.n_pes - 1);
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::alltoall,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "one partner each way in each round, at growing distance",
          .needs = "a workspace",
          .steps = "n - 1, and a sync after each 28",
          .traffic = "n (n - 1) messages; n (n - 1) b",
          .paper = thakur_paper,
          .cost = cost<Protocol>,
          .run = run_pairwise<Protocol>};
}

}  // namespace

constexpr algorithm pairwise_put_alltoall = row<put_protocol>("pairwise-put");
constexpr algorithm pairwise_message_alltoall = row<message_protocol>("pairwise-message");
constexpr algorithm pairwise_pull_alltoall = row<pull_protocol>("pairwise-pull");

}  // namespace oshen::coll
