// In round i a PE sends to the PE i further on and hears the one i before, so that everybody has one partner each way.
#include "coll/algorithms/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct pairwise {
  static constexpr schedule_words words{
      .name = "pairwise",
      .about = "one partner each way in each round, at growing distance",
      .steps = "n - 1, and a sync after each 28",
      .traffic = "n (n - 1) messages; n (n - 1) b",
      .paper = paper::thakur};

  static double cost(const setting& s) { return alltoall_cost<Protocol>(s, s.n_pes - 1); }

  static void run(const task& job, Protocol& protocol) {
    copy_own_block(job);
    char* own = job.dest + block_at(job, job.members.my_pe);
    for_pairs(job, protocol, [&](int to, int from, int step) {
      protocol.send(to, step, job.source + block_at(job, to), own, job.bytes());
      protocol.receive(from, step, job.dest + block_at(job, from), job.bytes());
    });
  }
};

}  // namespace

constexpr protocol_rows pairwise_alltoall = rows_of<pairwise>(kind::alltoall);

}  // namespace oshen::coll
