// shmem_collect32/64 with uneven sizes, shmem_fcollect32/64 with even ones.
#include "active_sets.h"
#include "pattern.h"

enum { most = 200, most_pes = 16 };
static long psync[2][SHMEM_COLLECT_SYNC_SIZE], done[SHMEM_BARRIER_SYNC_SIZE];
static uint64_t dest[most_pes * most + 1], source[most];

static size_t share(int member, int even) { return even ? 37 : (size_t)(member * 53 % 7) * 20; }

static void call(const struct active_set* set, int even, int bits, size_t nelems) {
  if (even && bits == 32) shmem_fcollect32(dest, source, nelems, SET_ARGUMENTS(set), psync[0]);
  if (even && bits == 64) shmem_fcollect64(dest, source, nelems, SET_ARGUMENTS(set), psync[0]);
  if (!even && bits == 32) shmem_collect32(dest, source, nelems, SET_ARGUMENTS(set), psync[1]);
  if (!even && bits == 64) shmem_collect64(dest, source, nelems, SET_ARGUMENTS(set), psync[1]);
}

static void check_once(const struct active_set* set, int place, int even, int bits) {
  const size_t width = (size_t)bits / 8;
  memset(dest, 0xa5, sizeof dest);
  pattern_fill(source, share(place, even) * width, (unsigned)place);
  shmem_barrier(SET_ARGUMENTS(set), done);
  call(set, even, bits, share(place, even));
  size_t offset = 0;
  for (int i = 0; i < set->size; i++) {
    const size_t bytes = share(i, even) * width;
    const size_t at = pattern_mismatch((unsigned char*)dest + offset, bytes, (unsigned)i);
    CHECK(at == bytes, "%scollect%d: byte %zu of member %d", even ? "f" : "", bits, at, i);
    offset += bytes;
  }
  CHECK(byte_mismatch((unsigned char*)dest + offset, sizeof dest - offset, 0xa5) == sizeof dest - offset,
        "%scollect%d wrote too much", even ? "f" : "", bits);
  shmem_barrier(SET_ARGUMENTS(set), done);
  psync_check(psync[!even], SHMEM_COLLECT_SYNC_SIZE, "collect");
}

static void check_set(const struct active_set* set, int place) {
  for (int even = 0; even < 2; even++) {
    check_once(set, place, even, 32);
    check_once(set, place, even, 64);
  }
}

int main(void) {
  shmem_init();
  psync_fill(psync[0], SHMEM_COLLECT_SYNC_SIZE);
  psync_fill(psync[1], SHMEM_COLLECT_SYNC_SIZE);
  psync_fill(done, SHMEM_BARRIER_SYNC_SIZE);
  shmem_barrier_all();
  for_each_active_set(check_set);
  shmem_finalize();
  return 0;
}
