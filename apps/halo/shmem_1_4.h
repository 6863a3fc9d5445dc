/* The calls of OpenSHMEM 1.5 that the halo needs, for libraries of version 1.4: active sets of all PEs instead of the
 * world team. Two calls of a routine use different pSync arrays. When a PE makes the next call but one, all PEs have
 * left the first call, because each of these collectives waits for all PEs. */
#ifndef HALO_SHMEM_1_4_H
#define HALO_SHMEM_1_4_H

#include <shmem.h>
#include <stdint.h>

#if SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION < 5
enum { team_of_all };
#define SHMEM_TEAM_WORLD team_of_all

static long reduce_sync[2][SHMEM_REDUCE_SYNC_SIZE], broadcast_sync[SHMEM_BCAST_SYNC_SIZE];
static long alltoall_sync[2][SHMEM_ALLTOALL_SYNC_SIZE];

static inline void fill(long* sync, int n) {
  for (int i = 0; i < n; i++) sync[i] = SHMEM_SYNC_VALUE;
}

/* Called before the first collective. The barrier makes the arrays ready on all PEs. */
static inline void prepare_active_sets(void) {
  fill(reduce_sync[0], 2 * SHMEM_REDUCE_SYNC_SIZE);
  fill(broadcast_sync, SHMEM_BCAST_SYNC_SIZE);
  fill(alltoall_sync[0], 2 * SHMEM_ALLTOALL_SYNC_SIZE);
  shmem_barrier_all();
}

#define REDUCE_OF_ALL(name, type, as, operation)                                                                 \
  static inline void name(int team, type* to, const type* from, size_t n) {                                      \
    static as work[2][SHMEM_REDUCE_MIN_WRKDATA_SIZE];                                                            \
    static int turn;                                                                                             \
    (void)team;                                                                                                  \
    turn = !turn;                                                                                                \
    operation((as*)(void*)to, (as*)(uintptr_t)from, (int)n, 0, 0, shmem_n_pes(), work[turn], reduce_sync[turn]); \
  }
REDUCE_OF_ALL(shmem_double_sum_reduce, double, double, shmem_double_sum_to_all)
REDUCE_OF_ALL(shmem_double_max_reduce, double, double, shmem_double_max_to_all)
REDUCE_OF_ALL(shmem_uint64_sum_reduce, uint64_t, long long, shmem_longlong_sum_to_all)

/* In place: OpenSHMEM 1.4 does not write `to` on the root. The unit is a word of eight bytes. */
static inline void shmem_broadcastmem(int team, void* to, const void* from, size_t bytes, int root) {
  (void)team;
  shmem_broadcast64(to, from, (bytes + 7) / 8, root, 0, 0, shmem_n_pes(), broadcast_sync);
}

static inline void shmem_alltoallmem(int team, void* to, const void* from, size_t bytes) {
  static int turn;
  (void)team;
  turn = !turn;
  shmem_alltoall64(to, from, bytes / 8, 0, 0, shmem_n_pes(), alltoall_sync[turn]);
}

static inline void shmem_team_sync(int team) {
  (void)team;
  shmem_sync_all();
}

/* Open MPI has the atomics of 1.4 for the standard C types only. */
#define shmem_uint64_atomic_set(word, value, pe) shmem_ulonglong_atomic_set((unsigned long long*)(word), value, pe)
#define shmem_uint64_atomic_inc(word, pe) shmem_ulonglong_atomic_inc((unsigned long long*)(word), pe)
#define shmem_ctx_uint64_atomic_add(context, word, value, pe) \
  shmem_ctx_ulonglong_atomic_add(context, (unsigned long long*)(word), value, pe)
#define shmem_ctx_uint64_atomic_fetch_add(context, word, value, pe) \
  shmem_ctx_ulonglong_atomic_fetch_add(context, (unsigned long long*)(word), value, pe)
#else
static inline void prepare_active_sets(void) {}
#endif

#endif
