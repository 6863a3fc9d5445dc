// Terms of cost functions: the time of steps and copies of an algorithm on this machine, in nanoseconds. Every
// algorithm adds such terms, so all are compared by the same parameters (struct machine).
#pragma once

#include "base/bits.hpp"
#include "coll/collective.hpp"

namespace oshen::coll {

// The factor by which work that all PEs do at the same time is slower because PEs share CPUs.
inline double oversubscription(const team_shape& s) {
  return s.cpu_for_each ? 1 : s.n_pes > s.on.cpus ? static_cast<double>(s.n_pes) / s.on.cpus : 1;
}

// The time on one node of a team that spans nodes: `steps` steps in sequence, and all messages and bytes of the node's
// PEs, which share a link. The model is LogGP (Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995,
// doi:10.1145/215399.215427).
double network_cost(const team_shape& s, double steps, double messages, double bytes);
// The same for `messages` and `bytes` of each PE, with a flag after each message. A short message carries its flag; the
// flag of a longer one is another message.
double flagged_network_cost(const team_shape& s, double steps, double messages, double bytes);

// The additional time for credits, between nodes, of `messages` messages whose data the receiver combines, with `bytes`
// in all. The first credit of a message permits two chunks, and each further credit permits one more. Short messages
// need no credits, because they have buffers of their own.
double credit_network_cost(const team_shape& s, double messages, double bytes);

// `n` steps in sequence, in each of which every PE waits for a flag of another PE.
inline double steps(const team_shape& s, double n) {
  if (s.spans) return network_cost(s, n, n * s.domain, 0);
  return n * (s.cpu_for_each ? s.on.line_ns : s.on.switch_ns * oversubscription(s));
}

// One PE reads `n` cache lines that other PEs have written, without waiting.
inline double lines(const team_shape& s, double n) { return n * s.on.line_ns * 0.5 * oversubscription(s); }

// Every PE copies `bytes` bytes.
inline double copies(const team_shape& s, double bytes) {
  return s.spans ? network_cost(s, 0, 0, bytes * s.domain) : bytes * s.on.copy_ns * oversubscription(s);
}

// One PE copies `bytes` bytes while the others wait.
inline double copies_alone(const team_shape& s, double bytes) { return bytes * s.on.copy_ns; }

inline double rounds(const team_shape& s) { return ceil_log2(static_cast<unsigned>(s.n_pes)); }

// The team's sync: a dissemination if every PE has a CPU of its own, otherwise two switches between PEs.
inline double sync_cost(const team_shape& s) { return steps(s, s.cpu_for_each ? rounds(s) : 2); }

}  // namespace oshen::coll
