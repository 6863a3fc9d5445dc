// Runs of a graph, and its destruction. Memory orders: a sender reads `ready` with acquire order before it writes a
// block, and sets `arrived` with release order after it. The receiver reads `arrived` with acquire order.
//
// Towards another node a block and its flag are one signal, which the transport may keep until it has room. Signals may
// overtake each other, so the receiver adds 1 to `ready`, and two runs in succession set different flags.
#include <string.h>

#include <algorithm>

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

void set_near_flag(graph_call at, const graph_edge& e, std::atomic<std::uint64_t>& word, std::uint64_t value) {
  byte_offset(&word, e.peer_offset)->store(value, std::memory_order_release);
  wake(byte_offset(&at.where->home->own_control(), e.peer_offset)->wakeup);
}

// Sends a block and updates a flag of the peer after it. False: not now.
bool signal_far(graph_call at, const graph_edge& e, transport::put_signal_args args) {
  const op::call_site site = site_of(at);
  const std::size_t most = at.where->home->beyond->endpoint.query().transfer_bytes;
  while (args.bytes > most) {  // the only case that waits
    op::remote::put(site, e.pe, args.to, args.from, most, op::completion_mode::blocking);
    op::remote::fence(site);
    args.to += most;
    args.from = static_cast<const char*>(args.from) + most;
    args.bytes -= most;
  }
  return op::remote::try_put_signal(site, e.pe, args, *at.where->lent);
}

// ---- the flags of a run -----------------------------------------------------------------------------

// The value of `arrived` names the dest object, so that the receiver can compare, and the run. The flag held the run
// before the last one until now, so 16 bits of the number suffice.
constexpr int run_bits = 16;
std::uint64_t arrival_of(const graph& g) {
  return offset_in_slice(g, g.dest) << run_bits | (g.run & ((std::uint64_t{1} << run_bits) - 1));
}
bool has_arrived(const graph& g, const graph_edge& e) {
  const std::uint64_t flag = e.own_end->arrived[g.run % most_buffers].load(std::memory_order_acquire);
  return ((flag ^ g.run) & ((std::uint64_t{1} << run_bits) - 1)) == 0;
}

// Tells the sender that it may write one more run. False: not now.
bool announce(graph_call at, graph_edge& e) {
  graph& g = *at.where;
  if (e.told == g.run) return true;
  std::atomic<std::uint64_t>& ready = e.peer_end->ready;
  if (e.is_near) {
    watch_run(at, event::flag, e.pe);
    set_near_flag(at, e, ready, g.run + static_cast<std::uint64_t>(g.buffers) - 1);
  } else {
    if (!signal_far(at, e, {0, nullptr, 0, offset_in_slice(g, &ready), 1, transport::signal_op::add})) return false;
    watch_run(at, event::flag, e.pe);
  }
  e.told = g.run;
  return true;
}

// Sends the block of this edge if the receiver is ready. False: it is not, or the network has no room.
bool push(graph_call at, graph_edge& e) {
  graph& g = *at.where;
  if (e.told == g.run) return true;
  if (e.own_end->ready.load(std::memory_order_acquire) < g.run) return false;
  const std::size_t bytes = e.elements * g.element_bytes;
  char* dest = g.dest + e.first_there * g.element_bytes;
  const char* from = g.source + e.first * g.element_bytes;
  std::atomic<std::uint64_t>& flag = e.peer_end->arrived[g.run % most_buffers];
  if (!e.is_near && !signal_far(at, e,
                                {.to = offset_in_slice(g, dest),
                                 .from = from,
                                 .bytes = bytes,
                                 .signal = offset_in_slice(g, &flag),
                                 .value = arrival_of(g),
                                 .op = transport::signal_op::set}))
    return false;
  if (bytes != 0) watch_run(at, event::copy, e.pe, bytes);
  if (e.is_near && bytes != 0) memcpy(byte_offset(dest, e.peer_offset), from, bytes);
  watch_run(at, event::flag, e.pe);
  if (e.is_near) set_near_flag(at, e, flag, arrival_of(g));
  e.told = g.run;
  return true;
}

// Makes the progress that is possible without waiting. Returns the PE of an unfinished edge, or -1 if all are finished.
int advance(graph_call at) {
  graph& g = *at.where;
  int late = -1;
  for (int i = 0; i < g.n_in; ++i)
    if (!announce(at, g.in[i])) late = g.in[i].pe;
  for (int i = 0; i < g.n_out; ++i)
    if (!push(at, g.out[i])) late = g.out[i].pe;
  if (late >= 0) return late;
  for (int i = 0; i < g.n_in; ++i)
    if (!has_arrived(g, g.in[i])) return g.in[i].pe;
  if (g.lent->pending.load(std::memory_order_acquire) == 0) return -1;
  const graph_edge* far = std::find_if(g.in, g.in + g.ends(), [](const graph_edge& e) { return !e.is_near; });
  return far->pe;
}

// Ends the run, after a check that all senders have passed the same dest object.
void finish(graph_call at) {
  graph& g = *at.where;
  const std::size_t dest = offset_in_slice(g, g.dest);
  const auto dest_of = [&g](const graph_edge& e) {
    return e.own_end->arrived[g.run % most_buffers].load(std::memory_order_relaxed) >> run_bits;
  };
  for (int i = 0; i < g.n_in; ++i)
    if (g.in[i].elements != 0 && dest_of(g.in[i]) != dest)
      op::bad_argument(site_of(at), "dest: PE %d has given another object in run %llu of the graph", g.in[i].pe,
                       static_cast<unsigned long long>(g.run));
  g.under_way = false;
  watch_run(at, event::received, -1);
}

// `closed` is the last word that a PE writes into an edge end of a neighbour. So an end may be cleared once its
// `closed` is set. It is ordered after everything that this PE has written there.
void close_peer_end(graph_call at, const graph_edge& e) {
  constexpr std::uint64_t value = 1;
  watch_run(at, event::flag, e.pe);
  if (e.is_near) return set_near_flag(at, e, e.peer_end->closed, value);
  const op::call_site site = site_of(at);
  op::remote::fence(site);
  op::remote::put(site, e.pe, offset_in_slice(*at.where, &e.peer_end->closed), &value, sizeof value,
                  op::completion_mode::blocking);
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
  for (int i = 0; i < g.n_in; ++i) announce(at, g.in[i]);
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
  if (g.run != 0 && !g.under_way) return;  // test() has seen the end of the run
  require(at, true);
  wait_info info{.routine = at.routine, .works = true};
  wait_for(*g.home, info, [&] { return (info.pe = advance(at)) < 0; });
  finish(at);
}

void drop_graph(graph_call at) {
  graph& g = *at.where;
  world& w = *g.home;
  require(at, false);
  for (int i = 0; i < g.ends(); ++i) close_peer_end(at, g.in[i]);
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
