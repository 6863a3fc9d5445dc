// The smallest program. The driver times it from exec to exit and reads the memory of each process.
#include <mpi.h>
#include <stdio.h>

#include "memory_use.h"

int main(int argc, char** argv) {
  int me = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("hello from %d of %d, VmHWM %ld kB, PSS %ld kB\n", me, size, memory_high_water_kb(), memory_share_kb());
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
