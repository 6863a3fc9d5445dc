// shmem_barrier completes the default context's puts within the set; shmem_sync only synchronises. Both may reuse one
// pSync with the same set, and restore it.
#include "active_sets.h"

enum { rounds = 60 };
static long psync[SHMEM_BARRIER_SYNC_SIZE], sync_psync[SHMEM_BARRIER_SYNC_SIZE];
static long inbox, stored;

static void check_set(const struct active_set* set, int place) {
  const int stride = 1 << set->log_stride;
  const int right = set->start + (place + 1) % set->size * stride;
  const int left = (place + set->size - 1) % set->size;
  for (long r = 0; r < rounds; r++) {
    const long message = r * 100 + place;
    shmem_long_put_nbi(&inbox, &message, 1, right);
    shmem_barrier(SET_ARGUMENTS(set), psync);
    CHECK(inbox == r * 100 + left, "barrier did not complete a put: %ld", inbox);
    stored = r * 100 + place;
#if SPEC_AT_LEAST(1, 4)
    shmem_sync(SET_ARGUMENTS(set), sync_psync);
    const long seen = shmem_long_g(&stored, right);
    CHECK(seen == r * 100 + (place + 1) % set->size, "sync did not publish a store: %ld", seen);
    shmem_sync(SET_ARGUMENTS(set), sync_psync);
#endif
  }
  shmem_barrier(SET_ARGUMENTS(set), psync);
  psync_check(sync_psync, SHMEM_BARRIER_SYNC_SIZE, "sync");
}

int main(void) {
  shmem_init();
  psync_fill(psync, SHMEM_BARRIER_SYNC_SIZE);
  psync_fill(sync_psync, SHMEM_BARRIER_SYNC_SIZE);
  shmem_barrier_all();
  for_each_active_set(check_set);
  psync_check(psync, SHMEM_BARRIER_SYNC_SIZE, "barrier");
  shmem_finalize();
  return 0;
}
