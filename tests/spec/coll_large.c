// Collectives above every buffer an implementation may have: 1 MiB and 3 bytes per member.
// @since 1.5
#include "check.h"
#include "pattern.h"

enum { bytes = (1 << 20) + 3, longs = bytes / 8 };

static void check_moving(unsigned char* dest, unsigned char* source) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  pattern_fill(source, bytes, (unsigned)me);
  shmem_barrier_all();
  CHECK(shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, bytes, n - 1) == 0, "broadcast");
  CHECK(pattern_mismatch(dest, bytes, (unsigned)(n - 1)) == bytes, "broadcast");
  shmem_barrier_all();
  CHECK(shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, bytes) == 0, "fcollect");
  for (int i = 0; i < n; i++)
    CHECK(pattern_mismatch(dest + (size_t)i * bytes, bytes, (unsigned)i) == bytes, "fcollect, PE %d", i);
  shmem_barrier_all();
  CHECK(shmem_collectmem(SHMEM_TEAM_WORLD, dest, source, bytes - (size_t)me) == 0, "collect");
  for (int i = 0, at = 0; i < n; at += bytes - i, i++)
    CHECK(pattern_mismatch(dest + at, (size_t)(bytes - i), (unsigned)i) == (size_t)(bytes - i), "collect, PE %d", i);
  shmem_barrier_all();
}

static void check_alltoall(unsigned char* dest, unsigned char* source) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  const size_t block = bytes / (size_t)n;
  for (int j = 0; j < n; j++) pattern_fill(source + (size_t)j * block, block, (unsigned)(100 * me + j));
  shmem_barrier_all();
  CHECK(shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, block) == 0, "alltoall");
  for (int i = 0; i < n; i++)
    CHECK(pattern_mismatch(dest + (size_t)i * block, block, (unsigned)(100 * i + me)) == block, "alltoall, PE %d", i);
  shmem_barrier_all();
}

static void check_reducing(long* dest, long* source) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int i = 0; i < longs; i++) source[i] = (long)i * (me + 1);
  shmem_barrier_all();
  CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, longs) == 0, "sum");
  for (int i = 0; i < longs; i++) CHECK(dest[i] == (long)i * n * (n + 1) / 2, "sum, element %d", i);
  shmem_barrier_all();
  CHECK(shmem_long_max_reduce(SHMEM_TEAM_WORLD, source, source, longs) == 0, "max");
  for (int i = 0; i < longs; i++) CHECK(source[i] == (long)i * n, "max in place, element %d", i);
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  unsigned char* dest = shmem_malloc((size_t)shmem_n_pes() * bytes);
  unsigned char* source = shmem_malloc(bytes);
  CHECK(dest && source, "heap");
  check_moving(dest, source);
  check_alltoall(dest, source);
  check_reducing((long*)dest, (long*)source);
  shmem_free(source);
  shmem_free(dest);
  shmem_finalize();
  return 0;
}
