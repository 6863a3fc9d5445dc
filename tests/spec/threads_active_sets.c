// Two threads of each PE in collectives of the same active set at once: pSync tells them apart.
#include "threads.h"

enum { rounds = 200 };

static struct {
  long sync[2][SHMEM_REDUCE_SYNC_SIZE], work[2][SHMEM_REDUCE_MIN_WRKDATA_SIZE];
  long barrier[SHMEM_BARRIER_SYNC_SIZE], broadcast[SHMEM_BCAST_SYNC_SIZE];
  long source, sum, said, heard;
} of[2];

static void prepare(long* sync, int n) {
  for (int i = 0; i < n; i++) sync[i] = SHMEM_SYNC_VALUE;
}

static void* meet(void* number) {
  const int k = (int)(intptr_t)number, me = shmem_my_pe(), n = shmem_n_pes();
  for (int i = 0; i < rounds; i++) {
    of[k].source = me + i * (k + 1);
    of[k].said = k * 1000 + i;
    shmem_long_sum_to_all(&of[k].sum, &of[k].source, 1, 0, 0, n, of[k].work[i & 1], of[k].sync[i & 1]);
    CHECK(of[k].sum == (long)n * (n - 1) / 2 + (long)n * i * (k + 1), "thread %d, round %d: sum %ld", k, i, of[k].sum);
    shmem_broadcast64(&of[k].heard, &of[k].said, 1, 0, 0, 0, n, of[k].broadcast);
    CHECK(me == 0 || of[k].heard == k * 1000 + i, "thread %d, round %d: heard %ld", k, i, of[k].heard);
    shmem_barrier(0, 0, n, of[k].barrier);
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  init_multiple();
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 2; i++) prepare(of[k].sync[i], SHMEM_REDUCE_SYNC_SIZE);
    prepare(of[k].barrier, SHMEM_BARRIER_SYNC_SIZE);
    prepare(of[k].broadcast, SHMEM_BCAST_SYNC_SIZE);
  }
  shmem_barrier_all();
  CHECK(pthread_create(&other, NULL, meet, (void*)(intptr_t)1) == 0, "a thread");
  meet((void*)(intptr_t)0);
  pthread_join(other, NULL);
  shmem_finalize();
  return 0;
}
