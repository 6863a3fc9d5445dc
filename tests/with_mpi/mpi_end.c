/* A program that uses MPI and OpenSHMEM, and fails: PE 1 ends it while the others wait in a barrier or compute.
 *   mpi_end global_exit | bad_use | exit   world | sub
 * sub: OpenSHMEM over the ranks in reverse order, on a communicator of the program. */
#include <mpi.h>
#include <oshen/mpi.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

static long cell;

int main(int argc, char** argv) {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank;
  if (argc < 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!strcmp(argv[2], "sub")) MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  if (shmemx_init_mpi(comm) != 0) MPI_Abort(MPI_COMM_WORLD, 9);
  shmem_barrier_all();
  if (shmem_my_pe() == 1) {
    if (!strcmp(argv[1], "global_exit")) shmem_global_exit(5);
    if (!strcmp(argv[1], "bad_use")) shmem_long_p(&cell, 1, 99);
    if (!strcmp(argv[1], "exit")) exit(3);
  }
  if (shmem_my_pe() == 2)
    for (volatile long i = 0;; i++) continue; /* a computing process makes no calls */
  for (;;) shmem_barrier_all();
}
