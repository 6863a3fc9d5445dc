// shmem_broadcast32 and 64: the root is an ordinal of the set, its own dest stays untouched, and pSync is restored.
#include "active_sets.h"
#include "pattern.h"

enum { most = 1000 };
static long psync[SHMEM_BCAST_SYNC_SIZE], done[SHMEM_BARRIER_SYNC_SIZE];
static uint64_t dest[most + 1], source[most];
static const size_t counts[] = {0, 1, 3, 64, 999, most};

static void check_once(const struct active_set* set, int place, int root, size_t nelems, int bits) {
  const size_t bytes = nelems * (size_t)bits / 8;
  memset(dest, 0xa5, sizeof dest);
  pattern_fill(source, bytes, (unsigned)place);
  shmem_barrier(SET_ARGUMENTS(set), done);
  if (bits == 32)
    shmem_broadcast32(dest, source, nelems, root, SET_ARGUMENTS(set), psync);
  else
    shmem_broadcast64(dest, source, nelems, root, SET_ARGUMENTS(set), psync);
  const size_t written = place == root ? 0 : bytes;
  size_t at = pattern_mismatch(dest, written, (unsigned)root);
  CHECK(at == written, "broadcast%d of %zu from %d: byte %zu", bits, nelems, root, at);
  at = byte_mismatch((unsigned char*)dest + written, sizeof dest - written, 0xa5);
  CHECK(at == sizeof dest - written, "broadcast%d wrote %s", bits,
        place == root ? "the root's dest" : "behind its dest");
  shmem_barrier(SET_ARGUMENTS(set), done);
  psync_check(psync, SHMEM_BCAST_SYNC_SIZE, "broadcast");
}

static void check_set(const struct active_set* set, int place) {
  for (size_t c = 0; c < LENGTH(counts); c++)
    for (int root = 0; root < set->size; root++) {
      check_once(set, place, root, counts[c], 32);
      check_once(set, place, root, counts[c], 64);
    }
}

int main(void) {
  shmem_init();
  psync_fill(psync, SHMEM_BCAST_SYNC_SIZE);
  psync_fill(done, SHMEM_BARRIER_SYNC_SIZE);
  shmem_barrier_all();
  for_each_active_set(check_set);
  shmem_finalize();
  return 0;
}
