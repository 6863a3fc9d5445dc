// What the schedules of scans share. Each leaves inclusive sums in dest; an exclusive scan then moves them one PE on.
//
// A schedule is a template over the protocol with its words for both scans, the messages that a PE waits for one after
// the other, the copies of the vector per message, and `run(job, protocol)`, which finds the source in dest.
#pragma once

#include "coll/algorithms/rows.hpp"

namespace oshen::coll {

inline constexpr int shift_step = 29;  // of the cells

// Every PE gets what the PE before it has; PE 0 gets zeros, which is what zero bits are in every type that scans have.
template <class Protocol>
void shift(const task& job) {
  const team& t = job.members;
  task moving = job;
  // what comes from the lower PE is the left operand, and stays
  moving.combine = [](void*, const void*, std::size_t) {};
  Protocol protocol(moving);
  protocol.trade(t.my_pe + 1 < t.n_pes ? t.my_pe + 1 : -1, t.my_pe - 1, shift_step, job.dest, job.elements);
  protocol.settle();
  if (t.my_pe == 0) memset(job.dest, 0, job.bytes());
}

template <class Schedule, class Protocol, bool inclusive>
struct scan {
  static constexpr schedule_words words = inclusive ? Schedule::inclusive : Schedule::exclusive;

  static double cost(const setting& s) {
    const double messages = Schedule::messages(s);
    return protocol_cost<Protocol>(s, messages + (inclusive ? 0 : 1), Schedule::copies * messages);
  }

  static void run(const task& job, Protocol& protocol) {
    source_to_dest(job);
    Schedule::run(job, protocol);
    if constexpr (inclusive) return;
    protocol.settle();
    shift<Protocol>(job);
  }
};

template <template <class> class Schedule, bool inclusive>
consteval protocol_rows scan_rows() {
  constexpr kind collective = inclusive ? kind::inscan : kind::exscan;
  return {row_of<scan<Schedule<put_protocol>, put_protocol, inclusive>, put_protocol>(collective),
          row_of<scan<Schedule<message_protocol>, message_protocol, inclusive>, message_protocol>(collective),
          row_of<scan<Schedule<pull_protocol>, pull_protocol, inclusive>, pull_protocol>(collective)};
}

}  // namespace oshen::coll
