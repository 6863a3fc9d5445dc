// Neighborhood collectives: turns handles into graphs.
#include <stdlib.h>

#include "api/handle.hpp"
#include "base/log.hpp"
#include "coll/neighbor/graph.hpp"

namespace oshen::api {
namespace {

coll::graph_call of_graph(shmemx_graph_t graph, const char* routine) {
  world& w = require_world(routine);
  oshen::graph* g = w.graphs.find(reinterpret_cast<std::uintptr_t>(graph));
  if (g == nullptr)
    op::bad_argument(in_default(routine), "graph = %p: not a graph, or already destroyed%s", static_cast<void*>(graph),
                     graph == SHMEMX_GRAPH_INVALID ? " (SHMEMX_GRAPH_INVALID: did its creation fail?)" : "");
  return {g, routine};
}

// The program's list of edges in the engine's format, for the time of the call.
class edge_list {
 public:
  edge_list(const char* routine, const char* name, const shmemx_edge_t* edges, std::size_t n)
      : edges_(static_cast<coll::edge*>(::calloc(n + 1, sizeof(coll::edge)))), n_(n) {
    if (n != 0 && edges == nullptr) op::bad_argument(in_default(routine), "%s = NULL: expected %zu edges", name, n);
    if (edges_ == nullptr) op::bad_argument(in_default(routine), "no memory for %zu edges", n);
    for (std::size_t i = 0; i < n; ++i) edges_[i] = {edges[i].pe, edges[i].count, edges[i].displ};
  }
  ~edge_list() { ::free(edges_); }
  edge_list(const edge_list&) = delete;
  edge_list& operator=(const edge_list&) = delete;
  std::span<const coll::edge> all() const { return {edges_, n_}; }

 private:
  coll::edge* edges_;
  std::size_t n_;
};

}  // namespace

// NOLINTNEXTLINE(readability-function-size): the parameters of the public routine
int graph_create(const char* routine, shmem_team_t team, const shmemx_edge_t* in, std::size_t n_in,
                 const shmemx_edge_t* out, std::size_t n_out, std::size_t element_size, int buffers,
                 shmemx_graph_t* graph) {
  const coll::team_call at = of_team(team, routine);
  const edge_list inward(routine, "in", in, n_in), outward(routine, "out", out, n_out);
  const oshen::graph* made = coll::make_graph(at, inward.all(), outward.all(), element_size, buffers);
  *graph = made == nullptr ? SHMEMX_GRAPH_INVALID : reinterpret_cast<shmemx_graph_t>(made->handle);
  return made == nullptr ? 1 : 0;
}

void graph_start(const char* routine, shmemx_graph_t graph, void* dest, const void* source) {
  coll::start(of_graph(graph, routine), dest, source);
}

int graph_test(const char* routine, shmemx_graph_t graph) { return coll::test(of_graph(graph, routine)) ? 1 : 0; }

void graph_wait(const char* routine, shmemx_graph_t graph) { coll::wait(of_graph(graph, routine)); }

void graph_destroy(const char* routine, shmemx_graph_t graph) {
  require_world(routine);
  if (graph != SHMEMX_GRAPH_INVALID) coll::drop_graph(of_graph(graph, routine));
}

}  // namespace oshen::api
