// Bruck: in each round a PE gives all that it has to a PE as far down the team, and so has twice as much after it,
// whatever the number of PEs. Blocks go straight to their places in dest, so that nothing has to be turned at the end:
// what goes round the end of the team takes two messages.
#include "coll/algorithms/collect/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol, kind k>
void run_bruck(const task& job) {
  const team& t = job.members;
  const blocks all = blocks::of<k>(job);
  Protocol protocol(job);
  all.fill_own(job);
  for (int round = 0; 1 << round < t.n_pes; ++round) {
    const int width = 1 << round;
    const int count = std::min(width, t.n_pes - width);
    all.send(protocol, after(t, t.n_pes - width), round, t.my_pe, count);
    all.receive(protocol, after(t, width), round, after(t, width), count);
  }
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  return collect_cost<Protocol>(s, 1.5 * ceil_log2(static_cast<unsigned>(s.n_pes)));
}

template <class Protocol, kind k>
constexpr algorithm row(const char* name) {
  return {.collective = k,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "Bruck: what a PE has doubles in each round, for any number of PEs",
          .needs = "a workspace",
          .steps = "ceil(log2 n), of one or two messages each",
          .traffic = "fewer than n (ceil(log2 n) + 1) messages; n (n - 1) b",
          .paper = "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in "
                   "multiport message-passing systems, IEEE TPDS 8(11), 1997, doi:10.1109/71.642949",
          .cost = cost<Protocol>,
          .run = run_bruck<Protocol, k>};
}

}  // namespace

constexpr algorithm bruck_put_fcollect = row<put_protocol, kind::fcollect>("bruck-put");
constexpr algorithm bruck_message_fcollect = row<message_protocol, kind::fcollect>("bruck-message");
constexpr algorithm bruck_pull_fcollect = row<pull_protocol, kind::fcollect>("bruck-pull");
constexpr algorithm bruck_put_collect = row<put_protocol, kind::collect>("bruck-put");
constexpr algorithm bruck_message_collect = row<message_protocol, kind::collect>("bruck-message");
constexpr algorithm bruck_pull_collect = row<pull_protocol, kind::collect>("bruck-pull");

}  // namespace oshen::coll
