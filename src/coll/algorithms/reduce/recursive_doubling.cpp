// Recursive doubling: in round r each PE exchanges its partial result with the PE 2^r away, and both combine.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct doubling {
  static constexpr schedule_words words{
      .name = "recursive-doubling", .about = "recursive doubling: partners ever farther apart exchange and combine",
      .steps = "floor(log2 n), and 2 more where n is no power of two",
      .traffic = "p log2 p + 2 (n - p) messages of b bytes, p the largest power of two in n",
      .paper = paper::thakur};

  static double cost(const setting& s) {
    return logarithmic_cost<Protocol>(s, s.spans ? 1 : 4) +
           room_across(s, rounds(s), rounds(s) * static_cast<double>(s.bytes));
  }

  static void run(const task& job, Protocol& protocol) {
    source_to_dest(job);
    double_up(job, fold(job.members.n_pes, job.members.my_pe), protocol);
  }
};

}  // namespace

constexpr protocol_rows doubling_reduce = rows_of<doubling>(kind::reduce);

}  // namespace oshen::coll
