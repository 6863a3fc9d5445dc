// shmem_barrier_all completes and synchronises; sync_all and team_sync wait for all and publish
// plain stores.
#include <time.h>
#include "symmetric.h"
#if SPEC_AT_LEAST(1, 5)
#include "teams.h"
#endif

enum { rounds = 100 };

// No PE may leave round r before all have entered it: each PE first counts its arrival on PE 0.
static void check_rounds(long* arrived, void (*synchronise)(void), const char* what) {
  const int n = shmem_n_pes();
  for (long r = 1; r <= rounds; r++) {
    if ((r + shmem_my_pe()) % 17 == 0) nanosleep(&(struct timespec){0, 100000}, NULL);
    shmem_long_atomic_fetch_inc(arrived, 0);
    synchronise();
    const long seen = shmem_long_atomic_fetch(arrived, 0);
    CHECK(seen >= r * n, "%s let PE %d through after %ld of %ld arrivals", what, shmem_my_pe(), seen, r * n);
  }
  shmem_barrier_all();
  if (shmem_my_pe() == 0) *arrived = 0;
  shmem_barrier_all();
}

static void check_completion(long* inbox) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  for (long r = 0; r < rounds; r++) {
    const long message = 1000 * r + me;
    shmem_long_put_nbi(inbox, &message, 1, right);
    shmem_barrier_all();
    CHECK(*inbox == 1000 * r + left, "barrier_all did not complete put %ld", r);
    shmem_barrier_all();
  }
}

#if SPEC_AT_LEAST(1, 5)
// A PE that reads after the sync sees a plain store that another PE made before it.
static long stored;
static void check_team(shmem_team_t team, const char* shape) {
  const int me = shmem_team_my_pe(team), right = (me + 1) % shmem_team_n_pes(team);
  for (long r = 0; r < rounds; r++) {
    stored = r * 100 + me;
    CHECK(shmem_team_sync(team) == 0, "%s: sync", shape);
    CHECK(shmem_long_g(&stored, world_pe(team, right)) == r * 100 + right, "%s: round %ld", shape, r);
    CHECK(shmem_team_sync(team) == 0, "%s: sync", shape);
  }
}
#endif

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    long* cell = memory_take(kind, sizeof(long));
    check_rounds(cell, shmem_barrier_all, "barrier_all");
    check_rounds(cell, shmem_sync_all, "sync_all");
    check_completion(cell);
    memory_give_back(kind, cell);
  }
#if SPEC_AT_LEAST(1, 5)
  for_each_team(check_team);
#endif
  shmem_finalize();
  return 0;
}
