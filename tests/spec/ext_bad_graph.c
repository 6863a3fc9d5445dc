// Graphs whose ends disagree, and graphs used wrongly: one line, and the end of the job.
// @extension
// @run pes=2 length -> fails /shmemx_graph_create: (in|out)\[1\].count = [78]: PE [01] of the team gives [78] for the same edge/
//
// @run pes=2 nobody_expects -> fails /PE 1: shmemx_graph_create: out\[1\]: PE 0 of the team has no such edge from PE 1/
//
// @run pes=2 nobody_sends -> fails /PE 1: shmemx_graph_create: in\[1\]: PE 0 of the team has no such edge to PE 1/
//
// @run pes=2 buffers_differ -> fails /element_size = 4, buffers = [12]: PE [01] of the team gives 4 and [12]/
//
// @run pes=2 dests_differ -> fails /shmemx_graph_wait: dest: PE [01] has given another object in run 1 of the graph/
//
// @run pes=2 no_such_pe -> fails /PE 1: shmemx_graph_create: out\[0\].pe = 2: expected 0 .. 1/
// @run pes=2 three_buffers -> fails /PE 1: shmemx_graph_create: buffers = 3: expected 1 .. 2/
//
// @run pes=2 no_list -> fails /PE 1: shmemx_graph_create: in = NULL: expected 2 edges/
// @run pes=2 twice -> fails /PE 1: shmemx_graph_start: graph: the run before has not been waited for/
//
// @run pes=2 no_run -> fails /PE 1: shmemx_graph_wait: graph: no run has been started/
// @run pes=2 destroyed -> fails /PE 1: shmemx_graph_start: graph = .*: not a graph, or already destroyed/
//
// @run pes=2 private_dest -> fails /PE 1: shmemx_graph_start: dest = .*: not a symmetric address/
#include <shmemx.h>

#include "bad_use.h"

static int dest[64], other[64], source[64];
static shmemx_graph_t graph;

static int me(void) { return shmem_my_pe(); }

// An edge to the other PE with `count` elements, and one to the PE itself.
static void make(size_t n_in, size_t n_out, size_t count, int buffers) {
  const shmemx_edge_t edges[] = {{me(), 4, 0}, {1 - me(), count, 8}};
  shmemx_graph_create(SHMEM_TEAM_WORLD, edges, n_in, edges, n_out, sizeof(int), buffers, &graph);
}
static void make_alone(int pe, int buffers) {
  const shmemx_edge_t edge = {pe, 4, 0};
  shmemx_graph_create(SHMEM_TEAM_WORLD, NULL, 0, &edge, 1, sizeof(int), buffers, &graph);
}

// Both PEs make these calls, with different arguments.
static void length(void) { make(2, 2, me() == 0 ? 7 : 8, 1); }
static void nobody_expects(void) { make(1, me() == 0 ? 1 : 2, 4, 1); }
static void nobody_sends(void) { make(me() == 0 ? 1 : 2, 1, 4, 1); }
static void buffers_differ(void) { make(2, 2, 4, 1 + me()); }
static void dests_differ(void) {
  make(2, 2, 4, 1);
  shmemx_graph_start(graph, me() == 0 ? dest : other, source);
  shmemx_graph_wait(graph);
}
// Both PEs make these calls, too, but only PE 1 makes the mistake.
static void twice(void) {
  make(2, 2, 4, 1);
  if (me() == 0) return;
  shmemx_graph_start(graph, dest, source);
  shmemx_graph_start(graph, dest, source);
}
static void no_run(void) {
  make(2, 2, 4, 1);
  if (me() == 1) shmemx_graph_wait(graph);
}
static void destroyed(void) {
  make(2, 2, 4, 1);
  shmemx_graph_destroy(graph);
  if (me() == 1) shmemx_graph_start(graph, dest, source);
}
static void private_dest(void) {
  int private_data[64];
  make(2, 2, 4, 1);
  if (me() == 1) shmemx_graph_start(graph, private_data, source);
}

static void no_such_pe(void) { make_alone(2, 1); }
static void three_buffers(void) { make_alone(1, 3); }
static void no_list(void) { shmemx_graph_create(SHMEM_TEAM_WORLD, NULL, 2, NULL, 0, sizeof(int), 1, &graph); }

static const struct mistake mistakes[] = {{"length", length},
                                          {"nobody_expects", nobody_expects},
                                          {"nobody_sends", nobody_sends},
                                          {"buffers_differ", buffers_differ},
                                          {"dests_differ", dests_differ},
                                          {"twice", twice},
                                          {"no_run", no_run},
                                          {"destroyed", destroyed},
                                          {"private_dest", private_dest},
                                          {"no_such_pe", no_such_pe},
                                          {"three_buffers", three_buffers},
                                          {"no_list", no_list}};
enum { TOGETHER = 9 };  // both PEs make the first calls of the table

int main(int argc, char** argv) {
  shmem_init();
  return make_mistakes(mistakes, TOGETHER, LENGTH(mistakes), argc, argv);
}
