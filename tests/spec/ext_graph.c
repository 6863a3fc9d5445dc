// shmemx_graph_...: every member sends blocks of different lengths to its right neighbour, to the
// member after that, and to itself. Many runs, two dests in turn, no barrier between runs.
// @extension
// @run
// @run pes=5 OSHEN_CHAOS=3
#include <sched.h>
#include <shmemx.h>

#include "symmetric.h"
#include "teams.h"

enum { RUNS = 30, ROOM = 2000 };

static int *dest[2], *source;

static int element(int from, int run, size_t i) { return from * 1000000 + run * 10000 + (int)i; }
static size_t length(int from, int step) { return (size_t)((from * 7 + step * 31) % 5 * 100); }

// Edge k of member `from` leads to the member `k` after it; its block begins at k * 500.
static void fill_edges(shmem_team_t team, shmemx_edge_t in[3], shmemx_edge_t out[3]) {
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
  for (int k = 0; k < 3; k++) {
    const int from = (me + 3 * n - k) % n;
    out[k] = (shmemx_edge_t){(me + k) % n, length(me, k), (size_t)k * 500};
    in[k] = (shmemx_edge_t){from, length(from, k), (size_t)k * 600};
  }
}

static void check_run(shmem_team_t team, const char* shape, int run, const shmemx_edge_t in[3]) {
  for (int k = 0; k < 3; k++)
    for (size_t i = 0; i < in[k].count; i++) {
      const int got = dest[run % 2][in[k].displ + i];
      CHECK(got == element(in[k].pe, run, (size_t)k * 500 + i), "on %s: member %d, run %d: %d", shape,
            shmem_team_my_pe(team), run, got);
    }
}

static void check_team(shmem_team_t team, const char* shape) {
  shmemx_edge_t in[3], out[3];
  shmemx_graph_t graph = SHMEMX_GRAPH_INVALID;
  fill_edges(team, in, out);
  CHECK(shmemx_graph_create(team, in, 3, out, 3, sizeof(int), 2, &graph) == 0, "on %s", shape);
  CHECK(shmemx_graph_test(graph) == 1, "no run is under way");
  for (int run = 0; run < RUNS; run++) {
    for (size_t i = 0; i < ROOM; i++) source[i] = element(shmem_team_my_pe(team), run, i);
    shmemx_graph_start(graph, dest[run % 2], source);
    if (run % 2)
      shmemx_graph_wait(graph);
    else
      while (!shmemx_graph_test(graph)) sched_yield();
    check_run(team, shape, run, in);
  }
  shmemx_graph_destroy(graph);
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    for (int i = 0; i < 2; i++) dest[i] = memory_take(kind, ROOM * sizeof(int));
    source = memory_take(kind, ROOM * sizeof(int));
    for_each_team(check_team);
    memory_give_back(kind, source);
    for (int i = 1; i >= 0; i--) memory_give_back(kind, dest[i]);
  }
  shmemx_graph_destroy(SHMEMX_GRAPH_INVALID);
  shmem_finalize();
  return 0;
}
