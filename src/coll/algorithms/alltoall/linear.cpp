// Every PE gives every other its block, all at once.
#include "coll/algorithms/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_words words{
      .name = "linear",
      .about = "every PE gives every other its block, all at once",
      .steps = Protocol::how == design::single_copy ? "1 + sync" : "1",
      .traffic = Protocol::how == design::single_copy
                     ? "n flags and a sync; n (n - 1) b"
                     : "n (n - 1) messages; n (n - 1) b",
      .paper = paper::thakur};

  static double cost(const setting& s) {
    const double others = s.n_pes - 1;  // between nodes what counts is how many messages there are
    if (s.spans) return across(s, 1, 2 * others * s.domain, others * s.domain * static_cast<double>(s.bytes));
    return alltoall_cost<Protocol>(s, 1) + lines(s, s.n_pes);
  }

  static void run(const task& job, Protocol& protocol) {
    team& t = job.members;
    protocol.expose();
    const std::size_t own = block_at(job, t.my_pe);
    for (const int pe : others(t)) protocol.deposit(pe, job.source + block_at(job, pe), job.dest + own, job.bytes());
    copy_own_block(job);
    for (const int pe : others_backwards(t))
      protocol.accept(pe, job.source + own, job.dest + block_at(job, pe), job.bytes());
  }
};

}  // namespace

constexpr protocol_rows linear_alltoall = rows_of<linear>(kind::alltoall);

}  // namespace oshen::coll
