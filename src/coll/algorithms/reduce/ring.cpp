// Ring: the vector is cut into n parts, which travel round and are combined on their way; then the finished parts
// travel round once more. Every PE talks to its neighbours only, and all of them work all the time.
#include "coll/algorithms/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

// A part is overwritten with its result only after its right neighbour has read it: the result went through there.
template <class Protocol>
void run_ring(const task& job) {
  const team& t = job.members;
  const int n = t.n_pes, right = after(t, 1), left = after(t, n - 1);
  const auto part = [&](int i) { return stretch_of(job, (i % n + n) % n, n); };
  Protocol protocol(job);
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
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  return protocol_cost<Protocol>(s, 2.0 * (s.n_pes - 1), 5 * static_cast<double>(s.bytes));
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::reduce,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "ring: parts travel round and are combined, then travel round once more",
          .needs = "a workspace",
          .steps = "2 (n - 1)",
          .traffic = "2 n (n - 1) messages; 2 (n - 1) b",
          .paper = "Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations, "
                   "JPDC 69(2), 2009, doi:10.1016/j.jpdc.2008.09.002",
          .cost = cost<Protocol>,
          .run = run_ring<Protocol>};
}

}  // namespace

constexpr algorithm ring_put_reduce = row<put_protocol>("ring-put");
constexpr algorithm ring_message_reduce = row<message_protocol>("ring-message");
constexpr algorithm ring_pull_reduce = row<pull_protocol>("ring-pull");

}  // namespace oshen::coll
