// What the schedules of scans share. Each makes inclusive sums in dest; an exclusive scan then moves them one PE on.
//
// A schedule is a type with its facts (about, steps and traffic of the inclusive and the exclusive scan, paper, the
// messages that a PE waits for one after the other, the copies of the vector per message) and `run(job, protocol)`,
// which leaves the inclusive sums in dest, where the source was.
#pragma once

#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/protocols.hpp"

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
void run_scan(const task& job) {
  if (job.dest != job.source) memmove(job.dest, job.source, job.bytes());
  Protocol protocol(job);
  Schedule::run(job, protocol);
  protocol.settle();
  if constexpr (!inclusive) shift<Protocol>(job);
}

template <class Schedule, class Protocol, bool inclusive>
double scan_cost(const setting& s) {
  const double messages = Schedule::messages(s.n_pes);
  return protocol_cost<Protocol>(s, messages + (inclusive ? 0 : 1),
                                 Schedule::copies * messages * static_cast<double>(s.bytes));
}

template <class Schedule, class Protocol, bool inclusive>
constexpr algorithm scan_row(const char* name) {
  return {.collective = inclusive ? kind::inscan : kind::exscan,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = Schedule::about,
          .needs = "a workspace",
          .steps = inclusive ? Schedule::inclusive_steps : Schedule::exclusive_steps,
          .traffic = inclusive ? Schedule::inclusive_traffic : Schedule::exclusive_traffic,
          .paper = Schedule::paper,
          .cost = scan_cost<Schedule, Protocol, inclusive>,
          .run = run_scan<Schedule, Protocol, inclusive>};
}

}  // namespace oshen::coll
