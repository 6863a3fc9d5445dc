// Linear: PE 0 takes the vectors of all others one after the other, and sends the result to each.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_root(const task& job, Protocol& protocol) {
  const team& t = job.members;
  source_to_dest(job);
  for (int pe = 1; pe < t.n_pes; ++pe) protocol.take(pe, job.source, job.dest, job.elements);
  protocol.expose();
  for (int pe = 1; pe < t.n_pes; ++pe) protocol.deposit(pe, job.dest, job.dest, job.bytes());
}

template <class Protocol>
struct linear {
  static constexpr schedule_words words{
      .name = "linear", .about = "PE 0 combines all vectors and sends the result to all",
      .steps = "n", .traffic = "2 (n - 1) messages; 2 (n - 1) b"};

  static double cost(const setting& s) {
    return protocol_cost<Protocol>(s, 2.0 * (s.n_pes - 1), (s.spans ? 2.0 : 4.0) * (s.n_pes - 1));
  }

  // The root writes or sends the result after it has taken the source, which may be the same memory.
  static void run(const task& job, Protocol& protocol) {
    if (job.members.my_pe == 0) {
      run_root(job, protocol);
    } else {
      protocol.expose();
      protocol.give(0, job.source, job.elements);
      protocol.accept(0, job.dest, job.dest, job.bytes());
    }
  }
};

}  // namespace

constexpr protocol_rows linear_reduce = rows_of<linear>(kind::reduce);

}  // namespace oshen::coll
