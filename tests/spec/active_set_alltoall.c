// shmem_alltoall32/64 and shmem_alltoalls32/64 on active sets.
#include "active_sets.h"

enum { nelems = 13, most_pes = 16, widest_stride = 3, room = most_pes * nelems * widest_stride };
static long psync[2][SHMEM_ALLTOALL_SYNC_SIZE > SHMEM_ALLTOALLS_SYNC_SIZE ? SHMEM_ALLTOALL_SYNC_SIZE
                                                                          : SHMEM_ALLTOALLS_SYNC_SIZE];
static long done[SHMEM_BARRIER_SYNC_SIZE];
static uint64_t dest64[room], source64[room];
static uint32_t dest32[room], source32[room];

static uint32_t element(int from, int to, int e) { return (uint32_t)(from * 10000 + to * 100 + e + 1); }

static void fill(const struct active_set* set, int place, int sst) {
  memset(dest64, 0, sizeof dest64);
  memset(dest32, 0, sizeof dest32);
  for (int to = 0; to < set->size; to++)
    for (int e = 0; e < nelems; e++) {
      source64[(to * nelems + e) * sst] = element(place, to, e);
      source32[(to * nelems + e) * sst] = element(place, to, e);
    }
}

static void check(const struct active_set* set, int place, int dst, const char* call) {
  for (int i = 0; i < room; i++) {
    const int from = i / dst / nelems, e = i / dst % nelems;
    const uint32_t expected = i % dst == 0 && from < set->size ? element(from, place, e) : 0;
    CHECK(dest64[i] == expected && dest32[i] == expected, "%s: element %d is %llu and %u, not %u", call, i,
          (unsigned long long)dest64[i], dest32[i], expected);
  }
}

static void check_set(const struct active_set* set, int place) {
  fill(set, place, 1);
  shmem_barrier(SET_ARGUMENTS(set), done);
  shmem_alltoall64(dest64, source64, nelems, SET_ARGUMENTS(set), psync[0]);
  shmem_alltoall32(dest32, source32, nelems, SET_ARGUMENTS(set), psync[1]);
  check(set, place, 1, "alltoall");
  for (int dst = 1; dst <= widest_stride; dst++) {
    const int sst = widest_stride + 1 - dst;
    shmem_barrier(SET_ARGUMENTS(set), done);
    fill(set, place, sst);
    shmem_barrier(SET_ARGUMENTS(set), done);
    shmem_alltoalls64(dest64, source64, dst, sst, nelems, SET_ARGUMENTS(set), psync[0]);
    shmem_alltoalls32(dest32, source32, dst, sst, nelems, SET_ARGUMENTS(set), psync[1]);
    check(set, place, dst, "alltoalls");
  }
  shmem_barrier(SET_ARGUMENTS(set), done);
  psync_check(psync[0], (int)LENGTH(psync[0]), "alltoall");
  psync_check(psync[1], (int)LENGTH(psync[1]), "alltoall");
}

int main(void) {
  shmem_init();
  psync_fill(psync[0], (int)LENGTH(psync[0]));
  psync_fill(psync[1], (int)LENGTH(psync[1]));
  psync_fill(done, SHMEM_BARRIER_SYNC_SIZE);
  shmem_barrier_all();
  for_each_active_set(check_set);
  shmem_finalize();
  return 0;
}
