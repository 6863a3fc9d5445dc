// Linear: each PE adds what the PE before it has, and hands the sum on.
#include "coll/algorithms/scan/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct linear {
  static constexpr schedule_words inclusive{
      .name = "linear", .about = "each PE adds what the PE before it has and hands the sum on",
      .steps = "n - 1", .traffic = "n - 1 messages; (n - 1) b"};
  static constexpr schedule_words exclusive = inclusive.with("n", "2 (n - 1) messages; 2 (n - 1) b");
  static constexpr double copies = 2;
  static double messages(const setting& s) { return s.n_pes - 1; }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    if (t.my_pe > 0) protocol.pass(-1, t.my_pe - 1, 0, nullptr, 0, job.dest, job.elements);
    if (t.my_pe + 1 < t.n_pes) protocol.pass(t.my_pe + 1, -1, 0, job.dest, job.elements, nullptr, 0);
  }
};

}  // namespace

constexpr protocol_rows linear_inscan = scan_rows<linear, true>();
constexpr protocol_rows linear_exscan = scan_rows<linear, false>();

}  // namespace oshen::coll
