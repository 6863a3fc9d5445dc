// Rabenseifner's schedule among all PEs of the team.
#include "coll/algorithms/reduce/halving.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct rabenseifner {
  static constexpr schedule_words words{
      .name = "rabenseifner", .about = "Rabenseifner: reduce-scatter by halving, gather by doubling",
      .steps = "2 floor(log2 n), and 2 more where n is no power of two",
      .traffic = "2 p log2 p + 2 (n - p) messages; 2 (p - 1) b + 2 (n - p) b, p the largest power of two in n",
      .paper = paper::rabenseifner};

  static double cost(const setting& s) { return halving_cost<Protocol>(s); }

  static void run(const task& job, Protocol& protocol) {
    source_to_dest(job);
    halve_and_gather(job, fold(job.members.n_pes, job.members.my_pe), protocol);
  }
};

}  // namespace

constexpr protocol_rows rabenseifner_reduce = rows_of<rabenseifner>(kind::reduce);

}  // namespace oshen::coll
