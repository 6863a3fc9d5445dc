// Hillis and Steele: in round r each PE adds what the PE 2^r before it had at the start of the round.
#include "coll/algorithms/scan/schedule.hpp"

namespace oshen::coll {
namespace {

struct hillis_steele {
  static constexpr const char* about = "in round r each PE adds what the PE 2^r before it has";
  static constexpr const char* inclusive_steps = "ceil(log2 n)";
  static constexpr const char* exclusive_steps = "ceil(log2 n) + 1";
  static constexpr const char* inclusive_traffic = "n - 2^r messages in round r, each b bytes";
  static constexpr const char* exclusive_traffic = "n - 2^r messages in round r, and n - 1; each b bytes";
  static constexpr const char* paper =
      "Hillis, Steele: Data parallel algorithms, CACM 29(12), 1986, doi:10.1145/7902.7903";
  static constexpr double copies = 4;
  static double messages(int n) { return ceil_log2(static_cast<unsigned>(n)); }

  template <class Protocol>
  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    for (int round = 0; 1 << round < t.n_pes; ++round) {
      const int to = t.my_pe + (1 << round), from = t.my_pe - (1 << round);
      protocol.trade(to < t.n_pes ? to : -1, from >= 0 ? from : -1, round, job.dest, job.elements);
    }
  }
};

}  // namespace

constexpr algorithm hillis_steele_put_inscan = scan_row<hillis_steele, put_protocol, true>("hillis-steele-put");
constexpr algorithm hillis_steele_message_inscan =
    scan_row<hillis_steele, message_protocol, true>("hillis-steele-message");
constexpr algorithm hillis_steele_pull_inscan = scan_row<hillis_steele, pull_protocol, true>("hillis-steele-pull");
constexpr algorithm hillis_steele_put_exscan = scan_row<hillis_steele, put_protocol, false>("hillis-steele-put");
constexpr algorithm hillis_steele_message_exscan =
    scan_row<hillis_steele, message_protocol, false>("hillis-steele-message");
constexpr algorithm hillis_steele_pull_exscan = scan_row<hillis_steele, pull_protocol, false>("hillis-steele-pull");

}  // namespace oshen::coll
