// Hillis and Steele: in round r each PE adds what the PE 2^r before it had at the start of the round.
#include "coll/algorithms/scan/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct hillis_steele {
  static constexpr schedule_words inclusive{
      .name = "hillis-steele", .about = "in round r each PE adds what the PE 2^r before it has",
      .steps = "ceil(log2 n)", .traffic = "n - 2^r messages in round r, each b bytes",
      .paper = paper::hillis};
  static constexpr schedule_words exclusive =
      inclusive.with("ceil(log2 n) + 1", "n - 2^r messages in round r, and n - 1; each b bytes");
  static constexpr double copies = 4;
  static double messages(const setting& s) { return rounds(s); }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    for (int round = 0; 1 << round < t.n_pes; ++round) {
      const int to = t.my_pe + (1 << round), from = t.my_pe - (1 << round);
      protocol.trade(to < t.n_pes ? to : -1, from >= 0 ? from : -1, round, job.dest, job.elements);
    }
  }
};

}  // namespace

constexpr protocol_rows hillis_steele_inscan = scan_rows<hillis_steele, true>();
constexpr protocol_rows hillis_steele_exscan = scan_rows<hillis_steele, false>();

}  // namespace oshen::coll
