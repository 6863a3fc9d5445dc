// Every PE gives every other its elements, all at once.
#include "coll/algorithms/alltoalls/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_words words{
      .name = "linear",
      .about = "every PE gives every other its elements, all at once",
      .steps = Protocol::how == design::single_copy ? "1 + sync" : "1",
      .traffic = Protocol::how == design::single_copy ? "n flags and a sync; n (n - 1) b"
                 : Protocol::how == design::one_sided  ? "n (n - 1) messages; n (n - 1) b"
                                                       : "n (n - 1) ceil(b / 4 KiB) messages; n (n - 1) b",
      .paper = paper::thakur};

  static double cost(const setting& s) { return strided_cost<Protocol>(s, 1) + 60.0 * s.n_pes; }

  static void run(const task& job, Protocol& protocol) {
    team& t = job.members;
    protocol.expose();
    for (const int pe : others(t))
      protocol.deposit_elements(pe, job.source + source_block_at(job, pe), job.dest + dest_block_at(job, t.my_pe),
                                job.elements);
    copy_own_elements(job);
    for (const int pe : others_backwards(t))
      protocol.accept_elements(pe, job.source + source_block_at(job, t.my_pe), job.dest + dest_block_at(job, pe),
                               job.elements);
  }
};

}  // namespace

constexpr protocol_rows linear_alltoalls = rows_of<linear>(kind::alltoalls);

}  // namespace oshen::coll
