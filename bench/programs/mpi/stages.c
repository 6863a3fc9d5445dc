// Time and memory of each stage of a program's life.
#include "stages.h"

#include <mpi.h>

enum { heap_bytes = 8 << 20 };

static void communicate(int me, int size, MPI_Win window) {
  MPI_Put(&me, 1, MPI_INT, (me + 1) % size, 0, 1, MPI_INT, window);
  MPI_Win_flush_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  stage_reached("put_one");
  for (int rank = 0; rank < size; ++rank) MPI_Put(&me, 1, MPI_INT, rank, 64 * me, 1, MPI_INT, window);
  MPI_Win_flush_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  stage_reached("put_all");
}

int main(int argc, char** argv) {
  int me = 0, size = 0;
  stage_reached("main");
  MPI_Init(&argc, &argv);
  stage_reached("init");
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  stage_reached("barrier");
  stage_details();
  MPI_Win window;
  char* heap = NULL;
  MPI_Win_allocate(heap_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &heap, &window);
  stage_reached("heap");
  memset(heap, 1, heap_bytes);
  stage_reached("touch");
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  communicate(me, size, window);
  MPI_Win_unlock_all(window);
  long one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  stage_reached("collective");
  stage_details();
  MPI_Comm team;
  MPI_Comm_split(MPI_COMM_WORLD, 0, me, &team);
  stage_reached("team");
  MPI_Comm_free(&team);
  MPI_Win_free(&window);
  stages_tell(me, size);
  MPI_Finalize();
  stage_reached("finalize");
  stages_tell(me, size);
  return sum == size ? 0 : 3;
}
