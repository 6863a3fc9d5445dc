// Words for costs: what the steps and the copies of an algorithm take on this machine, in nanoseconds. Rows add
// these up, so that all are judged by the same parameters (struct machine).
#pragma once

#include "base/bits.hpp"
#include "coll/collective.hpp"

namespace oshen::coll {

// PEs that share a CPU: what all do at the same time takes so many times longer.
inline double oversubscription(const team_shape& s) {
  return s.cpu_for_each ? 1 : s.n_pes > s.on.cpus ? static_cast<double>(s.n_pes) / s.on.cpus : 1;
}

// Of a team that spans nodes, on one of them: `steps` that follow one another, all messages and bytes of its PEs, which
// share a link. The model of Alexandrov, Ionescu, Schauser, Scheiman: LogGP, SPAA 1995, doi:10.1145/215399.215427.
double network_cost(const team_shape& s, double steps, double messages, double bytes);
// The same where each PE sends so many messages, of so many bytes in all, and a flag behind each: it takes along few.
double flagged_network_cost(const team_shape& s, double steps, double messages, double bytes);

// What `messages` that will be combined cost besides, between nodes, with so many bytes in all: the receiver says that
// there is room, for the first two pieces of a message and for each two more. Short ones have their place.
double credit_network_cost(const team_shape& s, double messages, double bytes);

// So many times, one after the other, every PE waits for what another one writes.
inline double steps(const team_shape& s, double n) {
  if (s.spans) return network_cost(s, n, n * s.domain, 0);
  return n * (s.cpu_for_each ? s.on.line_ns : s.on.switch_ns * oversubscription(s));
}

// One PE reads so many lines that others have written, and need not wait.
inline double lines(const team_shape& s, double n) { return n * s.on.line_ns * 0.5 * oversubscription(s); }

// Every PE copies so many bytes.
inline double copies(const team_shape& s, double bytes) {
  return s.spans ? network_cost(s, 0, 0, bytes * s.domain) : bytes * s.on.copy_ns * oversubscription(s);
}

// One PE copies so many bytes while the others wait.
inline double copies_alone(const team_shape& s, double bytes) { return bytes * s.on.copy_ns; }

inline double rounds(const team_shape& s) { return ceil_log2(static_cast<unsigned>(s.n_pes)); }

// The team's sync: dissemination while every PE has a CPU, else two switches.
inline double sync_cost(const team_shape& s) { return steps(s, s.cpu_for_each ? rounds(s) : 2); }

}  // namespace oshen::coll
