// A graph of many PEs. Each PE sends to both its neighbours, to one PE farther away, and to a hub, which receives from
// all PEs and sends to none. Counts differ; some are 0. There are several runs, with two dests in turn.
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>

enum { runs = 5, longest = 40, steps = 3, hub = 1 };

static int me, n;

static size_t length(int from, int k) { return (size_t)((from * 5 + k * 11) % longest); }

static int value(int from, int k, int run, size_t i) {
  return ((from * (steps + 1) + k) * runs + run) * longest + (int)i;
}

// Edge k < steps leads to the PE `step[k]` places farther; edge `steps` leads to the hub.
static int target(int from, int k) {
  static const int step[steps] = {1, -1, 17};
  return k == steps ? hub : (from + step[k] + n) % n;
}

static shmemx_edge_t* edges_in(size_t* count) {
  shmemx_edge_t* in = calloc((size_t)(n + steps), sizeof *in);
  *count = 0;
  for (int from = 0; from < n; from++)
    for (int k = 0; k <= steps; k++)
      if (target(from, k) == me) {
        in[*count] = (shmemx_edge_t){from, length(from, k), *count * longest};
        ++*count;
      }
  return in;
}

// Blocks in the order of edges_in.
static void check(const int* dest, int run) {
  size_t at = 0;
  for (int from = 0; from < n; from++)
    for (int k = 0; k <= steps; k++) {
      if (target(from, k) != me) continue;
      for (size_t i = 0; i < length(from, k); i++) {
        const int found = dest[at + i], wanted = value(from, k, run, i);
        if (found == wanted) continue;
        fprintf(stderr, "PE %d of %d: run %d: element %zu of PE %d is %d, not %d\n", me, n, run, i, from, found,
                wanted);
        shmem_global_exit(1);
      }
      at += longest;
    }
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  size_t n_in;
  shmemx_edge_t* in = edges_in(&n_in);
  shmemx_edge_t out[steps + 1];
  for (int k = 0; k <= steps; k++) out[k] = (shmemx_edge_t){target(me, k), length(me, k), (size_t)k * longest};
  const size_t room = (size_t)(n + steps) * longest;
  int* dest = shmem_calloc(2 * room, sizeof *dest);
  int* source = shmem_calloc((steps + 1) * longest, sizeof *source);
  shmemx_graph_t graph;
  if (shmemx_graph_create(SHMEM_TEAM_WORLD, in, n_in, out, steps + 1, sizeof(int), 2, &graph) != 0)
    shmem_global_exit(2);
  for (int run = 0; run < runs; run++) {
    for (int k = 0; k <= steps; k++)
      for (size_t i = 0; i < longest; i++) source[(size_t)k * longest + i] = value(me, k, run, i);
    int* now = dest + (size_t)(run % 2) * room;
    shmemx_graph_start(graph, now, source);
    shmemx_graph_wait(graph);
    check(now, run);
  }
  shmemx_graph_destroy(graph);
  free(in);
  shmem_barrier_all();
  if (me == 0) printf("a graph of %d PEs is right\n", n);
  shmem_finalize();
  return 0;
}
