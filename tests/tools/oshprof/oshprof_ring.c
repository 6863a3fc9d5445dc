// Patterns that oshprof must find: 50 rounds of one exchange of 1000 doubles with both neighbours, in alternating
// order; 10 rounds of alternating length; and 7 sums of 3 doubles. Compiled for MPI, and with -DRING_SHMEM for
// OpenSHMEM.
#include <stdio.h>

enum { rounds = 50, length = 1000, uneven_rounds = 10, sums = 7 };

#ifdef RING_SHMEM
#include <shmem.h>

static double from_left[length], from_right[length], edge[length], sum[3], part[3] = {1, 2, 3};

void exchange(int me, int n, int round) {
  for (int i = 0; i < 2; ++i) {
    const int to_left = (i + round) % 2;
    shmem_double_put(to_left ? from_right : from_left, edge, length, (me + (to_left ? n - 1 : 1)) % n);
  }
  shmem_barrier_all();
}

void exchange_unevenly(int me, int n, int round) {
  shmem_float_put((float*)from_left, (float*)edge, round % 2 ? length : 2 * length, (me + 1) % n);
  shmem_barrier_all();
}

__attribute__((noinline)) static void add_up(void) {
  for (int i = 0; i < sums; ++i) shmem_double_sum_reduce(SHMEM_TEAM_WORLD, sum, part, 3);
}

int main(void) {
  shmem_init();
  for (int i = 0; i < rounds; ++i) exchange(shmem_my_pe(), shmem_n_pes(), i);
  for (int i = 0; i < uneven_rounds; ++i) exchange_unevenly(shmem_my_pe(), shmem_n_pes(), i);
  add_up();
  shmem_finalize();
  return 0;
}
#else
#include <mpi.h>

static double from_left[length], from_right[length], edge[length], sum[3], part[3] = {1, 2, 3};

void exchange(int me, int n, int round) {
  const int right = (me + 1) % n, left = (me + n - 1) % n;
  MPI_Request requests[2];
  MPI_Irecv(from_left, length, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(from_right, length, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    const int to_left = (i + round) % 2;
    MPI_Send(edge, length, MPI_DOUBLE, to_left ? left : right, to_left ? 2 : 1, MPI_COMM_WORLD);
  }
  MPI_Status statuses[2];
  MPI_Waitall(2, requests, statuses);
}

void exchange_unevenly(int me, int n, int round) {
  const int right = (me + 1) % n, left = (me + n - 1) % n, many = round % 2 ? length : 2 * length;
  MPI_Request request;
  MPI_Irecv(from_left, many, MPI_FLOAT, left, 1, MPI_COMM_WORLD, &request);
  MPI_Ssend(edge, many, MPI_FLOAT, right, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void add_up(void) {
  for (int i = 0; i < sums; ++i) MPI_Allreduce(part, sum, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int me = 0, n = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int i = 0; i < rounds; ++i) exchange(me, n, i);
  for (int i = 0; i < uneven_rounds; ++i) exchange_unevenly(me, n, i);
  add_up();
  MPI_Finalize();
  return 0;
}
#endif
