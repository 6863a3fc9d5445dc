// In round i a PE sends to the PE i further on and hears the one i before, so that everybody has one partner each way.
#include "coll/algorithms/alltoalls/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct pairwise {
  static constexpr schedule_words words{
      .name = "pairwise",
      .about = "one partner each way in each round, at growing distance",
      .steps = "n - 1, and a sync after each 28",
      .traffic = Protocol::how == design::two_sided ? "n (n - 1) ceil(b / 4 KiB) messages; n (n - 1) b"
                                                     : "n (n - 1) messages; n (n - 1) b",
      .paper = paper::thakur};

  static double cost(const setting& s) { return strided_cost<Protocol>(s, s.n_pes - 1); }

  static void run(const task& job, Protocol& protocol) {
    copy_own_elements(job);
    for_pairs(job, protocol, [&](int to, int from, int step) {
      protocol.send_elements(to, step, job.source + source_block_at(job, to),
                             job.dest + dest_block_at(job, job.members.my_pe), job.elements);
      protocol.receive_elements(from, step, job.dest + dest_block_at(job, from), job.elements);
    });
  }
};

}  // namespace

constexpr protocol_rows pairwise_alltoalls = rows_of<pairwise>(kind::alltoalls);

}  // namespace oshen::coll
