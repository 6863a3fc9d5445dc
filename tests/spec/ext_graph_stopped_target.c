// The start of a graph returns although a neighbour is stopped and the connection to it is full. One block joins the
// puts that wait in the queue, the other one is too long for the rest of the queue. Both arrive when the neighbour goes
// on. With two dests the neighbour is ready one run ahead. The neighbour sends its own blocks only after it went on, so
// no run is complete before that, on a node either. A wait returns at once after a test has seen the end of the run.
// @extension
// @races The puts that fill the connection have one dest, which no PE reads.
#include <shmemx.h>
#include <unistd.h>

#include "stopped.h"

enum { small = 4096, large = 5 << 20, n_puts = 1500, bytes = 8192, runs = 3 };

static long target_pid;
static long may_start;  // the run that the PE which is stopped may start
static char window[bytes];
static int dest[2][small + large], source[small + large];

static void fill_connection(int pe) {
  static char filler[bytes];
  for (int i = 0; i < n_puts; i++) shmem_putmem_nbi(window, filler, bytes, pe);
}

static void set_source(int run) {
  for (int i = 0; i < small + large; i++) source[i] = 7 * i + run;
}

static void check_dest(const int* got, int run) {
  for (int i = 0; i < small + large; i++) CHECK(got[i] == 7 * i + run, "run %d, element %d: %d", run, i, got[i]);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), last = shmem_n_pes() - 1;
  target_pid = getpid();
  shmem_barrier_all();
  const shmemx_edge_t edges[] = {{last - me, small, 0}, {last - me, large, small}};
  const size_t n = last > 0 && (me == 0 || me == last) ? 2 : 0;
  shmemx_graph_t graph;
  CHECK(shmemx_graph_create(SHMEM_TEAM_WORLD, edges, n, edges, n, sizeof(int), 2, &graph) == 0, "no graph");
  for (int run = 1; run <= runs && n != 0; run++) {
    const int stops = me == 0 && run > 1;  // the first run connects the PEs
    const long pid = stops ? shmem_long_g(&target_pid, last) : 0;
    set_source(run);
    if (me == last && run > 1) shmem_long_wait_until(&may_start, SHMEM_CMP_GE, run);
    if (stops) stop(pid);
    if (stops) fill_connection(last);
    shmemx_graph_start(graph, dest[run % 2], source);
    for (int i = 0; i < 100 && stops; i++) CHECK(shmemx_graph_test(graph) == 0, "complete, but the target is stopped");
    if (stops) CHECK(state_of(pid) == 'T', "the target went on before it was told to");
    if (stops) CHECK(kill((pid_t)pid, SIGCONT) == 0, "cannot continue process %ld", pid);
    if (stops) shmem_long_p(&may_start, run, last);
    while (run % 2 == 0 && shmemx_graph_test(graph) == 0) continue;
    shmemx_graph_wait(graph);
    check_dest(dest[run % 2], run);
    if (me == 0) shmem_quiet();
  }
  shmemx_graph_destroy(graph);
  shmem_finalize();
  return 0;
}
