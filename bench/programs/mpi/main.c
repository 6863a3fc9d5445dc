// Runs the cases of all files that were linked with this one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "tell_mpi.h"

MPI_Win window;
long* target;
unsigned char* window_block;
unsigned char* local_block;
int next_rank, previous_rank;

// In some libraries RMA needs calls of the target.
static void make_progress(void) {
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void window_open(int me, int size) {
  MPI_Win_allocate(block_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_block, &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  local_block = aligned_alloc(4096, block_bytes);
  if (local_block == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  target = (long*)(void*)window_block;
  next_rank = (me + 1) % size;
  previous_rank = (me + size - 1) % size;
}

int main(int argc, char** argv) {
  int me = 0, size = 0, length = 0;
  char name[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_library_version(name, &length);
  name[strcspn(name, "\n\"")] = '\0';
  for (char* tab = name; (tab = strchr(tab, '\t')) != NULL;) *tab = ' ';
  const bench_suite suite = {.program = name, .progress = make_progress, .tell = tell_by_mpi};
  window_open(me, size);
  const long failed = bench_run(&suite, me, size, argc, argv);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  free(local_block);
  MPI_Finalize();
  return failed != 0;
}
