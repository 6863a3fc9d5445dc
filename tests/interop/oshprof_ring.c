// What oshprof must find: 50 rounds of one exchange of 1000 doubles with both neighbours, and 7 sums of 3 doubles.
// Compiled for MPI, and with -DRING_SHMEM for OpenSHMEM.
#include <stdio.h>

enum { rounds = 50, length = 1000, sums = 7 };

#ifdef RING_SHMEM
#include <shmem.h>

static double from_left[length], from_right[length], edge[length], sum[3], part[3] = {1, 2, 3};

void exchange(int me, int n) {
  shmem_double_put(from_left, edge, length, (me + 1) % n);
  shmem_double_put(from_right, edge, length, (me + n - 1) % n);
  shmem_barrier_all();
}

static void add_up(void) {
  for (int i = 0; i < sums; ++i) shmem_double_sum_reduce(SHMEM_TEAM_WORLD, sum, part, 3);
}

int main(void) {
  shmem_init();
  for (int i = 0; i < rounds; ++i) exchange(shmem_my_pe(), shmem_n_pes());
  add_up();
  shmem_finalize();
  return 0;
}
#else
#include <mpi.h>

static double from_left[length], from_right[length], edge[length], sum[3], part[3] = {1, 2, 3};

void exchange(int me, int n) {
  const int right = (me + 1) % n, left = (me + n - 1) % n;
  MPI_Request requests[2];
  MPI_Irecv(from_left, length, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(from_right, length, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(edge, length, MPI_DOUBLE, right, 1, MPI_COMM_WORLD);
  MPI_Send(edge, length, MPI_DOUBLE, left, 2, MPI_COMM_WORLD);
  MPI_Status statuses[2];
  MPI_Waitall(2, requests, statuses);
}

static void add_up(void) {
  for (int i = 0; i < sums; ++i) MPI_Allreduce(part, sum, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  int me = 0, n = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int i = 0; i < rounds; ++i) exchange(me, n);
  add_up();
  MPI_Finalize();
  return 0;
}
#endif
