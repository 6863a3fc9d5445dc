// A binomial tree combines towards PE 0; the result comes back the same way.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr int down = 14;  // of the cells: those below are for the way up

template <class Protocol>
struct tree {
  static constexpr schedule_words words{
      .name = "tree",
      .about = "binomial tree to PE 0 and back",
      .steps = "2 ceil(log2 n)",
      .traffic = "2 (n - 1) messages; 2 (n - 1) b",
      .paper = paper::thakur};

  static double cost(const setting& s) {
    const double depth = rounds(s);
    return protocol_cost<Protocol>(s, 2 * depth, 4 * depth * static_cast<double>(s.bytes));
  }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    source_to_dest(job);
    int round = 0;  // in which this PE gives its result away
    for (; 1 << round < t.n_pes && (t.my_pe >> round & 1) == 0; ++round)
      if (t.my_pe + (1 << round) < t.n_pes)
        protocol.pass(-1, t.my_pe + (1 << round), round, nullptr, 0, job.dest, job.elements);
    if (t.my_pe != 0) {
      const int parent = t.my_pe - (1 << round);
      protocol.pass(parent, -1, round, job.dest, job.elements, nullptr, 0);
      protocol.receive(parent, down + round, job.dest, job.bytes());
    }
    while (--round >= 0)
      if (t.my_pe + (1 << round) < t.n_pes)
        protocol.send(t.my_pe + (1 << round), down + round, job.dest, job.dest, job.bytes());
  }
};

}  // namespace

constexpr protocol_rows tree_reduce = rows_of<tree>(kind::reduce);

}  // namespace oshen::coll
