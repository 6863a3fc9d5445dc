/* Uses all parts of the library, round after round, so that a kill can happen anywhere: start-up, puts, atomics, a lock
 * held and waited for, barriers, collectives, the life of a team, heap calls, shutdown.   journey [rounds] */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { cells = 4096 };
static long lock, counter, inbox[cells];

static void move_data(int me, int n, long* heap) {
  static long row[cells];
  for (int i = 0; i < cells; i++) row[i] = me;
  for (int pe = 0; pe < n; pe++) shmem_long_put_nbi(heap, row, cells, pe);
  shmem_long_put(inbox, row, cells, (me + 1) % n);
  shmem_quiet();
  shmem_long_get(row, inbox, cells, (me + n - 1) % n);
  shmem_long_atomic_add(&counter, 1, 0);
}

static void hold_the_lock(void) {
  shmem_set_lock(&lock);
  shmem_long_p(&counter, shmem_long_g(&counter, 0) + 1, 0);
  shmem_clear_lock(&lock);
}

static void meet(int me, int n) {
  static long mine, sum;
  mine = me;
  shmem_barrier_all();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
  if (sum != (long)n * (n - 1) / 2) {
    fprintf(stderr, "journey: PE %d: sum %ld\n", me, sum);
    shmem_global_exit(1);
  }
  shmem_broadcastmem(SHMEM_TEAM_WORLD, inbox, inbox, 64, 0);
}

static void live_in_a_team(int n) {
  shmem_team_t half = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, (n + 1) / 2, NULL, 0, &half);
  if (half == SHMEM_TEAM_INVALID) return;
  shmem_team_sync(half);
  shmem_team_destroy(half);
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1000000;
  for (int round = 0; round < rounds; round++) {
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes();
    long* heap = shmem_malloc(cells * sizeof(long));
    for (int lap = 0; lap < 20; lap++) {
      move_data(me, n, heap);
      hold_the_lock();
      meet(me, n);
      live_in_a_team(n);
    }
    shmem_free(heap);
    shmem_finalize();
  }
  return 0;
}
