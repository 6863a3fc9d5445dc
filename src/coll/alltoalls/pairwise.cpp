// In round i a PE sends to the PE i further on and hears the one i before, so that everybody has one partner each way.
#include "coll/alltoalls/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void run_pairwise(const task& job) {
  Wire wire(job);
  copy_own_elements(job);
  for_pairs(job, wire, [&](int to, int from, int step) {
    wire.send_elements(to, step, job.source + source_block_at(job, to), job.dest + dest_block_at(job, job.members.my_pe),
                       job.elements);
    wire.receive_elements(from, step, job.dest + dest_block_at(job, from), job.elements);
  });
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  return strided_cost<Wire>(s, s.n_pes - 1);
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::alltoalls,
          .name = name,
          .how = Wire::how,
          .about = "one partner each way in each round, at growing distance",
          .needs = "a room",
          .steps = "n - 1, and a sync after each 28",
          .traffic = Wire::how == design::two_sided ? "n (n - 1) ceil(b / 4 KiB) messages; n (n - 1) b"
                                                    : "n (n - 1) messages; n (n - 1) b",
          .paper = thakur_paper,
          .cost = cost<Wire>,
          .run = run_pairwise<Wire>};
}

}  // namespace

constexpr algorithm pairwise_put_alltoalls = row<put_wire>("pairwise-put");
constexpr algorithm pairwise_message_alltoalls = row<message_wire>("pairwise-message");
constexpr algorithm pairwise_pull_alltoalls = row<pull_wire>("pairwise-pull");

}  // namespace oshen::coll
