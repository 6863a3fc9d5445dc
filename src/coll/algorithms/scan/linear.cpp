// Linear: each PE adds what the PE before it has, and hands the sum on.
#include "coll/algorithms/scan/schedule.hpp"

namespace oshen::coll {
namespace {

struct linear {
  static constexpr const char* about = "each PE adds what the PE before it has and hands the sum on";
  static constexpr const char* inclusive_steps = "n - 1";
  static constexpr const char* exclusive_steps = "n";
  static constexpr const char* inclusive_traffic = "n - 1 messages; (n - 1) b";
  static constexpr const char* exclusive_traffic = "2 (n - 1) messages; 2 (n - 1) b";
  static constexpr const char* paper = "";
  static constexpr double copies = 2;
  static double messages(int n) { return n - 1.0; }

  template <class Protocol>
  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    if (t.my_pe > 0) protocol.pass(-1, t.my_pe - 1, 0, nullptr, 0, job.dest, job.elements);
    if (t.my_pe + 1 < t.n_pes) protocol.pass(t.my_pe + 1, -1, 0, job.dest, job.elements, nullptr, 0);
  }
};

}  // namespace

constexpr algorithm linear_put_inscan = scan_row<linear, put_protocol, true>("linear-put");
constexpr algorithm linear_message_inscan = scan_row<linear, message_protocol, true>("linear-message");
constexpr algorithm linear_pull_inscan = scan_row<linear, pull_protocol, true>("linear-pull");
constexpr algorithm linear_put_exscan = scan_row<linear, put_protocol, false>("linear-put");
constexpr algorithm linear_message_exscan = scan_row<linear, message_protocol, false>("linear-message");
constexpr algorithm linear_pull_exscan = scan_row<linear, pull_protocol, false>("linear-pull");

}  // namespace oshen::coll
