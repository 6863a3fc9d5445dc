/* MPI and OpenSHMEM in one program, initialised and finalized in any order: hybrid (mpi|shmem) first, (mpi|shmem) last.
 */
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static int cell = -1;

int main(int argc, char** argv) {
  const int mpi_first = argc > 1 && strcmp(argv[1], "mpi") == 0;
  const int mpi_last = argc > 2 && strcmp(argv[2], "mpi") == 0;
  if (mpi_first) MPI_Init(&argc, &argv);
  shmem_init();
  if (!mpi_first) MPI_Init(&argc, &argv);
  int rank, size, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_int_p(&cell, me, (me + 1) % n);
  shmem_barrier_all();
  MPI_Allreduce(&cell, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank != me || size != n || sum != n * (n - 1) / 2) {
    fprintf(stderr, "PE %d of %d, rank %d of %d, sum %d\n", me, n, rank, size, sum);
    return 1;
  }
  printf("PE %d is rank %d of %d\n", me, rank, size);
  fflush(stdout);
  if (!mpi_last) MPI_Finalize();
  shmem_finalize();
  if (mpi_last) MPI_Finalize();
  return 0;
}
