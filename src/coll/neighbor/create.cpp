// Creation of a graph. Every PE describes its edge ends in its own annex (world/control.hpp). Then it finds the
// opposite ends in the annexes of its neighbours, and compares them with its own.
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "coll/call/sequence.hpp"
#include "coll/neighbor/graph.hpp"
#include "coll/protocol/small_allgather.hpp"
#include "op/remote.hpp"

namespace oshen::coll {
namespace {

// The description of a PE's part of a graph, which each PE sends to all others.
struct summary {
  int first_end;  // -1: the PE has no room for its edges
  int n_in;
  int n_out;
  int buffers;
  std::size_t element_bytes;
};

void check_edges(team_call at, const char* list, std::span<const edge> edges, std::size_t element_bytes) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    std::size_t end = 0;
    if (edges[i].pe < 0 || edges[i].pe >= at.members->n_pes)
      op::bad_argument(site_of(at), "%s[%zu].pe = %d: expected 0 .. %d", list, i, edges[i].pe, at.members->n_pes - 1);
    if (__builtin_add_overflow(edges[i].first, edges[i].elements, &end) ||
        __builtin_mul_overflow(end, element_bytes, &end))
      op::bad_argument(site_of(at), "%s[%zu]: %zu elements from %zu on exceed the address space", list, i,
                       edges[i].elements, edges[i].first);
  }
}

void check_arguments(team_call at, std::span<const edge> in, std::span<const edge> out, std::size_t element_bytes,
                     int buffers) {
  if (element_bytes == 0) op::bad_argument(site_of(at), "element_size = 0: expected the bytes of an element");
  if (buffers < 1 || buffers > most_buffers)
    op::bad_argument(site_of(at), "buffers = %d: expected 1 .. %d", buffers, most_buffers);
  check_edges(at, "in", in, element_bytes);
  check_edges(at, "out", out, element_bytes);
}

// ---- this PE's ends -----------------------------------------------------------------------------------------

void describe(edge_end& end, const edge& e, int buffers) {
  end.peer = e.pe;
  end.elements = e.elements;
  end.first = e.first;
  // Only outward edges use `ready`. The first start() of the receiver announces one dest; the others are ready before.
  end.ready.store(static_cast<std::uint64_t>(buffers) - 1, std::memory_order_relaxed);
}

// Allocates the edge ends, and memory for the edges. False if there is no room.
bool furnish(graph& g, team_call at, std::span<const edge> in, std::span<const edge> out) {
  world& w = *g.home;
  if (in.size() + out.size() > max_edge_ends) return false;
  g.n_in = static_cast<int>(in.size());
  g.n_out = static_cast<int>(out.size());
  g.in = static_cast<graph_edge*>(calloc(in.size() + out.size() + 1, sizeof(graph_edge)));
  g.out = g.in + g.n_in;
  g.lent = static_cast<transport::completion*>(calloc(1, sizeof(transport::completion)));
  g.first_end = g.in == nullptr || g.lent == nullptr ? -1 : w.edge_allocator.take(g.ends());
  if (g.first_end < 0) return false;
  for (int i = 0; i < g.ends(); ++i) {
    const edge& e = i < g.n_in ? in[static_cast<std::size_t>(i)] : out[static_cast<std::size_t>(i - g.n_in)];
    graph_edge& mine = g.in[i];
    mine.own_end = &w.own_annex().edge_ends[g.first_end + i];
    mine.is_near = at.members->is_near(e.pe);
    if (mine.is_near) mine.peer_offset = at.members->ctx.offset_to(static_cast<std::uint32_t>(e.pe));
    mine.elements = e.elements;
    mine.first = e.first;
    mine.pe = at.members->world_pe(e.pe);
    describe(*mine.own_end, e, g.buffers);
  }
  return true;
}

// ---- the other ends -----------------------------------------------------------------------------------------

// The position of edges[i] among the edges with the same PE, counted from 0.
int rank_of(const graph_edge* edges, int i) {
  return static_cast<int>(std::count_if(edges, edges + i, [&](const graph_edge& e) { return e.pe == edges[i].pe; }));
}

// The index in the peer's list of the edge with rank `rank` to this PE; -1 if there is none.
int find_end(const edge_end* list, int n, int my_pe, int rank) {
  for (int i = 0; i < n; ++i)
    if (list[i].peer == my_pe && rank-- == 0) return i;
  return -1;
}

// The edge ends that a neighbour has described: in place if the neighbour is near, otherwise a copy.
class described_ends {
 public:
  described_ends(team_call at, int pe, edge_end* ends, int n) : list_(ends) {
    const team& t = *at.members;
    if (t.is_near(pe)) {
      list_ = peer_address(t, pe, ends);
      return;
    }
    const auto bytes = static_cast<std::size_t>(n) * sizeof(edge_end);
    copy_ = malloc(bytes + 1);
    if (copy_ == nullptr) end_job(t.home, 1, false);
    const op::call_site site = site_of(at);
    const auto offset = reinterpret_cast<char*>(ends) - reinterpret_cast<char*>(t.ctx.control);
    if (n != 0)
      op::remote::get(site, t.world_pe(pe), copy_, static_cast<std::uint64_t>(offset), bytes,
                      op::completion_mode::blocking);
    list_ = static_cast<const edge_end*>(copy_);
  }
  ~described_ends() { free(copy_); }
  described_ends(const described_ends&) = delete;
  described_ends& operator=(const described_ends&) = delete;
  const edge_end* list() const { return list_; }

 private:
  const edge_end* list_;
  void* copy_ = nullptr;
};

using summaries = small_allgather<summary>;

// Finds the opposite end of edges[i] in the neighbour's list of the other direction, and compares the two ends.
void connect(team_call at, const summaries& all, graph_edge* edges, int i, bool inward) {
  team& t = *at.members;
  graph_edge& mine = edges[i];
  const int pe = mine.own_end->peer;
  const summary s = all.of(pe);
  edge_end* first_end = t.home->own_annex().edge_ends + s.first_end + (inward ? s.n_in : 0);
  const int n = inward ? s.n_out : s.n_in;
  const described_ends ends(at, pe, first_end, n);
  const int other = find_end(ends.list(), n, t.my_pe, rank_of(edges, i));
  const char* list = inward ? "in" : "out";
  if (other < 0)
    op::bad_argument(site_of(at), "%s[%d]: PE %d of the team has no such edge %s PE %d", list, i, pe,
                     inward ? "to" : "from", t.my_pe);
  const edge_end& theirs = ends.list()[other];
  mine.peer_end = first_end + other;
  mine.first_there = theirs.first;
  if (theirs.elements != mine.elements)
    op::bad_argument(site_of(at), "%s[%d].count = %zu: PE %d of the team gives %zu for the same edge", list, i,
                     mine.elements, pe, static_cast<std::size_t>(theirs.elements));
}

void connect_all(graph& g, team_call at, const summaries& all) {
  for (int i = 0; i < g.n_in; ++i) connect(at, all, g.in, i, true);
  for (int i = 0; i < g.n_out; ++i) connect(at, all, g.out, i, false);
  for (int i = 0; i < g.n_in; ++i) g.dest_extent = std::max(g.dest_extent, g.in[i].first + g.in[i].elements);
  for (int i = 0; i < g.n_out; ++i) {
    g.dest_extent = std::max(g.dest_extent, g.out[i].first_there + g.out[i].elements);
    g.source_extent = std::max(g.source_extent, g.out[i].first + g.out[i].elements);
  }
}

// True if all PEs have room for their edges. The result is the same on all PEs. Ends the job if PEs give different
// element sizes or numbers of buffers.
bool all_have_room(const summaries& all, team_call at, const graph& g) {
  bool room = true;
  for (int pe = 0; pe < at.members->n_pes; ++pe) {
    const summary s = all.of(pe);
    room = room && s.first_end >= 0;
    if (s.element_bytes != g.element_bytes || s.buffers != g.buffers)
      op::bad_argument(site_of(at), "element_size = %zu, buffers = %d: PE %d of the team gives %zu and %d",
                       g.element_bytes, g.buffers, pe, s.element_bytes, s.buffers);
  }
  return room;
}

}  // namespace

graph* make_graph(team_call at, std::span<const edge> in, std::span<const edge> out, std::size_t element_bytes,
                  int buffers) {
  check_arguments(at, in, out, element_bytes, buffers);
  team& t = *at.members;
  world& w = *t.home;
  graph g;
  g.home = &w;
  g.buffers = buffers;
  g.element_bytes = element_bytes;
  if (!furnish(g, at, in, out)) g.first_end = -1;
  graph* made = g.first_end < 0 ? nullptr : w.graphs.make(g);
  const collective_call call{.members = t, .routine = at.routine};
  const summary mine{made == nullptr ? -1 : g.first_end, g.n_in, g.n_out, buffers, element_bytes};
  begin_collective(t, at.routine);
  const summaries all(call, mine);
  const bool room = all_have_room(all, at, g);
  if (room) connect_all(*made, at, all);
  sync_team(t, at.routine);  // all PEs have read the ends of their neighbours
  if (room) return made;
  if (g.first_end >= 0) w.edge_allocator.give_back(g.first_end, g.ends());
  if (made != nullptr) w.graphs.drop(made);
  free_edges(g);
  return nullptr;
}

}  // namespace oshen::coll
