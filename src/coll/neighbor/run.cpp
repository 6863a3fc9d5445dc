// Runs of a graph, and its destruction. Memory orders: a sender reads `ready` with acquire order before it writes a
// block, and sets `arrived` with release order after it. The receiver reads `arrived` with acquire order.
#include <string.h>

#include "coll/neighbor/graph.hpp"
#include "coll/shared_memory/peer_memory.hpp"
#include "op/remote.hpp"
#include "wait/backoff.hpp"

namespace oshen::coll {
namespace {

std::uint64_t offset_in_slice(const graph& g, const void* address) {
  return static_cast<std::uint64_t>(static_cast<const char*>(address) -
                                    reinterpret_cast<const char*>(&g.home->own_control()));
}

void require(graph_call at, bool under_way) {
  if (at.where->under_way != under_way)
    op::bad_argument(site_of(at),
                     under_way ? "graph: no run has been started" : "graph: the run before has not been waited for");
}

// ---- writing to the other end of an edge ------------------------------------------------------------

// A graph outlives its team, so the observer of the world team sees its events.
void watch_run(graph_call at, event what, int pe, std::size_t bytes = 0) {
  observe(at.where->home->team_world, what, pe, bytes);
}

// Sets a flag of the peer, ordered after everything that this PE has written there.
void set_flag(graph_call at, const graph_edge& e, std::atomic<std::uint64_t>& word, std::uint64_t value) {
  watch_run(at, event::flag, e.pe);
  if (e.is_near) {
    byte_offset(&word, e.peer_offset)->store(value, std::memory_order_release);
    wake(byte_offset(&at.where->home->own_control(), e.peer_offset)->wakeup);
    return;
  }
  const op::call_site site = site_of(at);
  op::remote::fence(site);
  op::remote::put(site, e.pe, offset_in_slice(*at.where, &word), &value, sizeof value, op::completion_mode::blocking);
}

void write(graph_call at, const graph_edge& e, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  watch_run(at, event::copy, e.pe, bytes);
  if (e.is_near)
    memcpy(byte_offset(static_cast<char*>(to), e.peer_offset), from, bytes);
  else
    op::remote::put(site_of(at), e.pe, offset_in_slice(*at.where, to), from, bytes, op::completion_mode::blocking);
}

// Writes the block of this edge if the receiver is ready. True if the block has been written.
bool push(graph_call at, graph_edge& e) {
  graph& g = *at.where;
  if (e.sent == g.run) return true;
  if (e.own_end->ready.load(std::memory_order_acquire) < g.run) return false;
  const std::size_t bytes = e.elements * g.element_bytes;
  char* place = g.dest + e.first_there * g.element_bytes;
  const std::uint64_t dest = offset_in_slice(g, g.dest);
  write(at, e, place, g.source + e.first * g.element_bytes, bytes);
  write(at, e, &e.peer_end->dest_offsets[g.run % most_buffers], &dest, sizeof dest);
  set_flag(at, e, e.peer_end->arrived, g.run);
  e.sent = g.run;
  return true;
}

// Makes the progress that is possible without waiting. Returns the PE of an unfinished edge, or -1 if all are finished.
int advance(graph_call at) {
  graph& g = *at.where;
  int late = -1;
  for (int i = 0; i < g.n_out; ++i)
    if (!push(at, g.out[i])) late = g.out[i].pe;
  if (late >= 0) return late;
  for (int i = 0; i < g.n_in; ++i)
    if (g.in[i].own_end->arrived.load(std::memory_order_acquire) < g.run) return g.in[i].pe;
  return -1;
}

// Ends the run, after a check that all senders have passed the same dest object.
void finish(graph_call at) {
  graph& g = *at.where;
  const std::size_t dest = offset_in_slice(g, g.dest);
  for (int i = 0; i < g.n_in; ++i)
    if (g.in[i].elements != 0 && g.in[i].own_end->dest_offsets[g.run % most_buffers] != dest)
      op::bad_argument(site_of(at), "dest: PE %d has given another object in run %llu of the graph", g.in[i].pe,
                       static_cast<unsigned long long>(g.run));
  g.under_way = false;
  watch_run(at, event::received, -1);
}

char* slice_address(graph_call at, const char* argument, const void* address, std::size_t elements) {
  char* own = const_cast<char*>(static_cast<const char*>(address));
  if (elements == 0) return own;
  return byte_offset(own, op::own_slice(site_of(at), argument, address, elements * at.where->element_bytes));
}

}  // namespace

void start(graph_call at, void* dest, const void* source) {
  graph& g = *at.where;
  require(at, false);
  g.dest = slice_address(at, "dest", dest, g.dest_extent);
  g.source = slice_address(at, "source", source, g.source_extent);
  g.under_way = true;
  ++g.run;
  for (int i = 0; i < g.n_in; ++i)
    set_flag(at, g.in[i], g.in[i].peer_end->ready, g.run + static_cast<std::uint64_t>(g.buffers) - 1);
  for (int i = 0; i < g.n_out; ++i) push(at, g.out[i]);
}

bool test(graph_call at) {
  if (!at.where->under_way) return true;
  if (advance(at) >= 0) return false;
  finish(at);
  return true;
}

void wait(graph_call at) {
  graph& g = *at.where;
  require(at, true);
  wait_info info{.routine = at.routine, .works = true};
  wait_for(*g.home, info, [&] { return (info.pe = advance(at)) < 0; });
  finish(at);
}

// `closed` is the last word that a PE writes into an edge end of a neighbour. So an end may be cleared once its
// `closed` is set.
void drop_graph(graph_call at) {
  graph& g = *at.where;
  world& w = *g.home;
  require(at, false);
  for (int i = 0; i < g.ends(); ++i) {
    set_flag(at, g.in[i], g.in[i].peer_end->closed, 1);
  }
  for (int i = 0; i < g.ends(); ++i) {
    const wait_info info{.routine = at.routine, .pe = g.in[i].pe};
    wait_for(w, info, [&] { return g.in[i].own_end->closed.load(std::memory_order_acquire) != 0; });
  }
  memset(static_cast<void*>(&w.own_annex().edge_ends[g.first_end]), 0,
         static_cast<std::size_t>(g.ends()) * sizeof(edge_end));
  w.edge_allocator.give_back(g.first_end, g.ends());
  free_edges(g);
  w.graphs.drop(&g);
}

}  // namespace oshen::coll
