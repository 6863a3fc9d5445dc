/* The same in MPI: puts and gets in a window under lock_all, each with a flush. */
#include <mpi.h>
#include <string.h>

#include "cases.h"

static int me, far;
static char *source, *target;
static MPI_Win window, counters;
static long* counter;

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

static long counted(void) {
  long seen = 0;
  MPI_Fetch_and_op(NULL, &seen, MPI_LONG, far, 0, MPI_NO_OP, counters);
  MPI_Win_flush(far, counters);
  return seen;
}

int main(int argc, char** argv) {
  is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
  int n_ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  far = n_ranks / 2;
  const MPI_Aint room = (MPI_Aint)room_for(n_ranks);
  source = malloc((size_t)room);
  MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &target, &window);
  MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &counters);
  *counter = 0;
  MPI_Win_lock_all(0, window);
  MPI_Win_lock_all(0, counters);
  measure_all(
      &(world){me, n_ranks, source, target, put, get, fetch_add, counted, barrier, broadcast, sum, fcollect, alltoall});
  MPI_Win_unlock_all(counters);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&counters);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
