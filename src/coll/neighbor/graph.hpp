// Neighbourhood collectives (shmemx_graph_...): blocks of fixed lengths travel along the edges of a graph of PEs, in
// run after run. The sender writes each block into the receiver's dest and raises the flag of that edge. The receiver
// announces, on the same edge, the runs for which it is ready. A PE waits only for its neighbours, and there is no
// barrier between runs (design/collectives.md).
#pragma once

#include <span>

#include "coll/collective.hpp"
#include "world/graph.hpp"
#include "world/world.hpp"

namespace oshen::coll {

// One end of an edge as the program gives it.
struct edge {
  int pe;  // of the team
  std::size_t elements;
  std::size_t first;  // index in dest or source
};

// A graph, and the routine that the program called on it.
struct graph_call {
  graph* where;
  const char* routine;
};
inline op::call_site site_of(graph_call at) { return op::site_of(at.where->home->team_world, at.routine); }

// Collective over the team. Both ends of every edge must agree: the k-th edge in `out` from PE a to PE b is the k-th
// edge in `in` of b from a. Null on all PEs if one of them has no room for its edges.
graph* make_graph(team_call at, std::span<const edge> in, std::span<const edge> out, std::size_t element_bytes,
                  int buffers);

// These are not collective. start() does not wait: what a neighbour or the network is not ready for, test() and wait()
// send. wait() waits for neighbours only.
void start(graph_call at, void* dest, const void* source);
bool test(graph_call at);
void wait(graph_call at);

// Waits until all neighbours have called it.
void drop_graph(graph_call at);

}  // namespace oshen::coll
