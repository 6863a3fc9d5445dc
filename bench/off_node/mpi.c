/* The same in MPI: puts and gets of a window that is locked for all, each with a flush. */
#include <mpi.h>
#include <string.h>

#include "measure.h"

static int me, n_ranks, far;
static char *source, *target;
static MPI_Win window, counters;
static long *counter;

static void put(size_t bytes, long number) {
  memcpy(source, &number, sizeof number);
  memcpy(source + bytes - sizeof number, &number, sizeof number);
  MPI_Put(source, (int)bytes, MPI_BYTE, far, 0, (int)bytes, MPI_BYTE, window);
  MPI_Win_flush(far, window);
}
static void get(size_t bytes, long number) {
  (void)number;
  MPI_Get(source, (int)bytes, MPI_BYTE, far, 0, (int)bytes, MPI_BYTE, window);
  MPI_Win_flush(far, window);
}
static void fetch_add(size_t bytes, long number) {
  (void)bytes, (void)number;
  static long one = 1, before;
  MPI_Fetch_and_op(&one, &before, MPI_LONG, far, 0, MPI_SUM, counters);
  MPI_Win_flush(far, counters);
}

static void barrier(size_t bytes, long number) {
  (void)bytes, (void)number;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void broadcast(size_t bytes, long number) {
  (void)number;
  MPI_Bcast(me == 0 ? source : target, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void sum(size_t bytes, long number) {
  (void)number;
  MPI_Allreduce(source, target, (int)(bytes / sizeof(long)), MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}
static void fcollect(size_t bytes, long number) {
  (void)number;
  MPI_Allgather(source, (int)bytes, MPI_BYTE, target, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(size_t bytes, long number) {
  (void)number;
  MPI_Alltoall(source, (int)bytes, MPI_BYTE, target, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void moves(void) {
  for (size_t i = 0; i < COUNT(move_sizes); ++i) {
    const size_t bytes = move_sizes[i];
    if (me == 0) {
      tell("put", bytes, time_batches(put, bytes));
      const long last = *(long *)source;
      memset(source, 0, bytes);
      tell("get", bytes, time_batches(get, bytes));
      demand(*(long *)source == last && memcmp(source + bytes - sizeof last, &last, sizeof last) == 0, "put", bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (me == 0) {
    tell("fetch_add", 8, time_batches(fetch_add, 8));
    const long n = operations(8);
    long seen = 0;
    MPI_Fetch_and_op(NULL, &seen, MPI_LONG, far, 0, MPI_NO_OP, counters);
    MPI_Win_flush(far, counters);
    demand(seen == n / 4 + 1 + batches * n, "fetch_add", 8);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) time_single(put, "put_computing", 30);
  else compute(1.0);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void collectives(void) {
  static const struct {
    const char *name;
    void (*call)(size_t, long);
  } all[] = {{"broadcast", broadcast}, {"sum", sum}, {"fcollect", fcollect}, {"alltoall", alltoall}};
  double us = time_batches(barrier, 8);
  if (me == 0) tell("barrier", 0, us);
  for (size_t c = 0; c < COUNT(all); ++c)
    for (size_t i = 0; i < COUNT(collective_sizes); ++i) {
      const size_t bytes = collective_sizes[i];
      for (size_t k = 0; k < (size_t)n_ranks * bytes / sizeof(long); ++k) ((long *)source)[k] = me + 1;
      MPI_Barrier(MPI_COMM_WORLD);
      us = time_batches(all[c].call, bytes);
      if (me == 0) tell(all[c].name, bytes, us);
      const long first = *(long *)target, total = (long)n_ranks * (n_ranks + 1) / 2;
      demand(c == 0 ? me == 0 || first == 1 : c == 1 ? first == total : first == 1, all[c].name, bytes);
      MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  far = n_ranks / 2;
  const size_t room = (size_t)(n_ranks < 4 ? 4 : n_ranks) << 20;
  source = malloc(room);
  MPI_Win_allocate((MPI_Aint)room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &target, &window);
  MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &counters);
  memset(source, 0, room);
  memset(target, 0, room);
  *counter = 0;
  MPI_Win_lock_all(0, window);
  MPI_Win_lock_all(0, counters);
  MPI_Barrier(MPI_COMM_WORLD);
  if (n_ranks == 2) moves();
  collectives();
  MPI_Win_unlock_all(counters);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&counters);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
