// In round i a PE sends to the PE i further on and hears the one i before, so that everybody has one partner each way.
#include "coll/algorithms/alltoalls/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_pairwise(const task& job) {
  Protocol protocol(job);
  copy_own_elements(job);
  for_pairs(job, protocol, [&](int to, int from, int step) {
    protocol.send_elements(to, step, job.source + source_block_at(job, to),
                           job.dest + dest_block_at(job, job.members.my_pe), job.elements);
    protocol.receive_elements(from, step, job.dest + dest_block_at(job, from), job.elements);
  });
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  return strided_cost<Protocol>(s, s.n_pes - 1);
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::alltoalls,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "one partner each way in each round, at growing distance",
          .needs = "a workspace",
          .steps = "n - 1, and a sync after each 28",
          .traffic = Protocol::how == design::two_sided ? "n (n - 1) ceil(b / 4 KiB) messages; n (n - 1) b"
                                                    : "n (n - 1) messages; n (n - 1) b",
          .paper = thakur_paper,
          .cost = cost<Protocol>,
          .run = run_pairwise<Protocol>};
}

}  // namespace

constexpr algorithm pairwise_put_alltoalls = row<put_protocol>("pairwise-put");
constexpr algorithm pairwise_message_alltoalls = row<message_protocol>("pairwise-message");
constexpr algorithm pairwise_pull_alltoalls = row<pull_protocol>("pairwise-pull");

}  // namespace oshen::coll
