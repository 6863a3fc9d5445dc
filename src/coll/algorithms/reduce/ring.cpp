// Ring: the vector is cut into n parts, which travel round and are combined on their way; then the finished parts
// travel round once more. Every PE talks to its neighbours only, and all of them work all the time.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct ring {
  static constexpr schedule_words words{
      .name = "ring", .about = "ring: parts travel round and are combined, then travel round once more",
      .steps = "2 (n - 1)", .traffic = "2 n (n - 1) messages; 2 (n - 1) b",
      .paper = paper::patarasuk};

  static double cost(const setting& s) { return protocol_cost<Protocol>(s, 2.0 * (s.n_pes - 1), s.spans ? 2 : 5); }

  // A part is overwritten with its result only after its right neighbour has read it: the result went through there.
  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const int n = t.n_pes, right = after(t, 1), left = after(t, n - 1);
    const auto part = [&](int i) { return stretch_of(job, (i % n + n) % n, n); };
    source_to_dest(job);
    for (int step = 0; step < n - 1; ++step) {
      const stretch give = part(t.my_pe - step), want = part(t.my_pe - step - 1);
      protocol.pass(right, left, 0, place_of(job, give), give.elements, place_of(job, want), want.elements);
    }
    for (int step = 0; step < n - 1; ++step) {
      const stretch give = part(t.my_pe + 1 - step), want = part(t.my_pe - step);
      protocol.send(right, 1, place_of(job, give), place_of(job, give), give.elements * job.element_bytes);
      protocol.receive(left, 1, place_of(job, want), want.elements * job.element_bytes);
    }
  }
};

}  // namespace

constexpr algorithm ring_put_reduce = row_of<ring, put_protocol>(kind::reduce);
constexpr algorithm ring_message_reduce = row_of<ring, message_protocol>(kind::reduce);

}  // namespace oshen::coll
