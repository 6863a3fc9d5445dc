// Runs of a graph, and its end. The memory orders: a sender writes a block when it has seen, with acquire order, that the
// receiver is ready for the run, and raises the flag with release order; the receiver tests it with acquire order.
#include <string.h>

#include "coll/graph.hpp"
#include "op/site.hpp"
#include "world/idle.hpp"

namespace oshen::coll {
namespace {

op::site as_operation(graph_site at) { return {&at.where->home->default_context, at.routine}; }

std::size_t offset_in_slice(const graph& g, const char* address) {
  return static_cast<std::size_t>(address - reinterpret_cast<const char*>(&g.home->own_control()));
}

void require(graph_site at, bool under_way) {
  if (at.where->under_way != under_way)
    op::bad_argument(as_operation(at), under_way ? "graph: no run has been started" : "graph: the run before has not been waited for");
}

// Writes the block of this edge if the receiver is ready. True when it is written.
bool push(graph& g, graph_edge& e) {
  if (e.sent == g.run) return true;
  if (e.own->ready.load(std::memory_order_acquire) < g.run) return false;
  const std::size_t bytes = e.elements * g.element_bytes;
  char* place = g.dest + e.first_there * g.element_bytes;
  if (bytes != 0) memcpy(byte_offset(place, e.hop), g.source + e.first * g.element_bytes, bytes);
  e.theirs->where[g.run % most_buffers] = offset_in_slice(g, g.dest);
  e.theirs->arrived.store(g.run, std::memory_order_release);
  ring(*e.bell);
  e.sent = g.run;
  return true;
}

// Does what can be done now. The PE of an edge that is not done yet, or -1 when all are.
int advance(graph& g) {
  int late = -1;
  for (int i = 0; i < g.n_out; ++i)
    if (!push(g, g.out[i])) late = g.out[i].pe;
  if (late >= 0) return late;
  for (int i = 0; i < g.n_in; ++i)
    if (g.in[i].own->arrived.load(std::memory_order_acquire) < g.run) return g.in[i].pe;
  return -1;
}

// All PEs must mean the same object.
void finish(graph_site at) {
  graph& g = *at.where;
  const std::size_t dest = offset_in_slice(g, g.dest);
  for (int i = 0; i < g.n_in; ++i)
    if (g.in[i].elements != 0 && g.in[i].own->where[g.run % most_buffers] != dest)
      op::bad_argument(as_operation(at), "dest: PE %d has given another object in run %llu of the graph", g.in[i].pe,
                       static_cast<unsigned long long>(g.run));
  g.under_way = false;
}

char* aim_at(graph_site at, const char* argument, const void* address, std::size_t elements) {
  char* own = const_cast<char*>(static_cast<const char*>(address));
  if (elements == 0) return own;
  return byte_offset(own, op::own_slice(as_operation(at), argument, address, elements * at.where->element_bytes));
}

}  // namespace

void start(graph_site at, void* dest, const void* source) {
  graph& g = *at.where;
  require(at, false);
  g.dest = aim_at(at, "dest", dest, g.dest_extent);
  g.source = aim_at(at, "source", source, g.source_extent);
  g.under_way = true;
  ++g.run;
  for (int i = 0; i < g.n_in; ++i) {
    g.in[i].theirs->ready.store(g.run + static_cast<std::uint64_t>(g.buffers) - 1, std::memory_order_release);
    ring(*g.in[i].bell);
  }
  for (int i = 0; i < g.n_out; ++i) push(g, g.out[i]);
}

bool test(graph_site at) {
  if (!at.where->under_way) return true;
  if (advance(*at.where) >= 0) return false;
  finish(at);
  return true;
}

void wait(graph_site at) {
  graph& g = *at.where;
  require(at, true);
  wait_note note{.routine = at.routine};
  wait_for(*g.home, note, [&] { return (note.pe = advance(g)) < 0; });
  finish(at);
}

// What a PE writes last into the end of a neighbour is that it will not write there any more.
void drop_graph(graph_site at) {
  graph& g = *at.where;
  world& w = *g.home;
  require(at, false);
  for (int i = 0; i < g.ends(); ++i) {
    g.in[i].theirs->closed.store(1, std::memory_order_release);
    ring(*g.in[i].bell);
  }
  for (int i = 0; i < g.ends(); ++i) {
    const wait_note note{.routine = at.routine, .pe = g.in[i].pe};
    wait_for(w, note, [&] { return g.in[i].own->closed.load(std::memory_order_acquire) != 0; });
  }
  memset(static_cast<void*>(&w.own_control().edge_ends[g.first_end]), 0,
         static_cast<std::size_t>(g.ends()) * sizeof(edge_end));
  w.edge_ends.give_back(g.first_end, g.ends());
  free_edges(g);
  w.graphs.drop(&g);
}

}  // namespace oshen::coll
