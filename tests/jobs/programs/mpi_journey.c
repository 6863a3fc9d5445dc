/* PEs under an MPI launcher that work until one of them is killed. Built by each MPI's own compiler. */
#include <mpi.h>
#include <oshen/mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  static long counter;
  MPI_Init(&argc, &argv);
  if (shmemx_init_mpi(MPI_COMM_WORLD) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  printf("PE %d pid %d\n", shmem_my_pe(), (int)getpid());
  fflush(stdout);
  for (;;) {
    shmem_long_atomic_inc(&counter, 0);
    shmem_barrier_all();
  }
}
