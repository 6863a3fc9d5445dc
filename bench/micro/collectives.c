// Collectives over all PEs: plain names are the form that a user of this library would write (teams
// where it has them, else active sets), *_aset the active-set form. They run back to back; *_local
// and *_span results are of single operations after a barrier of the harness.
#include "collective.h"

#include <stdio.h>
#include <string.h>

#include "cases.h"

enum { sync_words = 512, most_elements = (1 << 20) / 8 };

_Static_assert((int)SHMEM_BCAST_SYNC_SIZE <= sync_words, "pSync of broadcasts");
_Static_assert((int)SHMEM_REDUCE_SYNC_SIZE <= sync_words, "pSync of reductions");
_Static_assert((int)SHMEM_COLLECT_SYNC_SIZE <= sync_words, "pSync of collects");
_Static_assert((int)SHMEM_ALLTOALL_SYNC_SIZE <= sync_words, "pSync of alltoalls");

// Symmetric work arrays, one of two by the parity of the operation.
static long broadcast_sync[2][sync_words], sum_sync[2][sync_words], fcollect_sync[2][sync_words],
    alltoall_sync[2][sync_words];
static long sum_work[2][most_elements / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];

static void active_broadcast(long* dest, long* source, long elements, int root, long operation) {
  shmem_broadcast64(dest, source, (size_t)elements, root, 0, 0, bench_pes,
                    broadcast_sync[operation % 2]);
}

static void active_sum(long* dest, long* source, long elements, long operation) {
  shmem_long_sum_to_all(dest, source, (int)elements, 0, 0, bench_pes, sum_work[operation % 2],
                        sum_sync[operation % 2]);
}

static void active_fcollect(long* dest, long* source, long elements, long operation) {
  shmem_fcollect64(dest, source, (size_t)elements, 0, 0, bench_pes, fcollect_sync[operation % 2]);
}

static void active_alltoall(long* dest, long* source, long elements, long operation) {
  shmem_alltoall64(dest, source, (size_t)elements, 0, 0, bench_pes, alltoall_sync[operation % 2]);
}

static void active_collect(long* dest, long* source, long elements, long operation) {
  shmem_collect64(dest, source, (size_t)collective_share(elements, bench_me), 0, 0, bench_pes,
                  fcollect_sync[operation % 2]);
}

static void active_alltoalls(long* dest, long* source, long elements, long operation) {
  const long stride = collective_stride(elements);
  shmem_alltoalls64(dest, source, stride, stride, (size_t)collective_strided(elements), 0, 0,
                    bench_pes, alltoall_sync[operation % 2]);
}

static const collective_calls active_calls = {.broadcast = active_broadcast,
                                              .sum = active_sum,
                                              .fcollect = active_fcollect,
                                              .alltoall = active_alltoall,
                                              .collect = active_collect,
                                              .alltoalls = active_alltoalls};

#if BENCH_HAS_1_5
static void team_broadcast(long* dest, long* source, long elements, int root, long operation) {
  (void)operation;
  shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, (size_t)elements, root);
}

static void team_sum(long* dest, long* source, long elements, long operation) {
  (void)operation;
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, (size_t)elements);
}

static void team_fcollect(long* dest, long* source, long elements, long operation) {
  (void)operation;
  shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, (size_t)elements);
}

static void team_alltoall(long* dest, long* source, long elements, long operation) {
  (void)operation;
  shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, (size_t)elements);
}

static void team_collect(long* dest, long* source, long elements, long operation) {
  (void)operation;
  shmem_long_collect(SHMEM_TEAM_WORLD, dest, source, (size_t)collective_share(elements, bench_me));
}

static void team_alltoalls(long* dest, long* source, long elements, long operation) {
  (void)operation;
  const long stride = collective_stride(elements);
  shmem_long_alltoalls(SHMEM_TEAM_WORLD, dest, source, stride, stride,
                       (size_t)collective_strided(elements));
}

#if BENCH_HAS_1_6
static void team_inscan(long* dest, long* source, long elements, long operation) {
  (void)operation;
  shmem_long_sum_inscan(SHMEM_TEAM_WORLD, dest, source, (size_t)elements);
}

static void team_exscan(long* dest, long* source, long elements, long operation) {
  (void)operation;
  shmem_long_sum_exscan(SHMEM_TEAM_WORLD, dest, source, (size_t)elements);
}
#endif

static const collective_calls usual_calls = {.broadcast = team_broadcast,
                                             .sum = team_sum,
                                             .fcollect = team_fcollect,
                                             .alltoall = team_alltoall,
                                             .collect = team_collect,
                                             .alltoalls = team_alltoalls,
#if BENCH_HAS_1_6
                                             .inscan = team_inscan,
                                             .exscan = team_exscan
#endif
};
#define HOW(team_form, active_form) team_form
#else
#define usual_calls active_calls
#define HOW(team_form, active_form) active_form
#endif

static void reset_sync(void) {
  for (int half = 0; half < 2; ++half)
    for (int word = 0; word < sync_words; ++word)
      broadcast_sync[half][word] = sum_sync[half][word] = fcollect_sync[half][word] =
          alltoall_sync[half][word] = SHMEM_SYNC_VALUE;
}

// Collective. The arrays of one size serve until another is asked for.
static void prepare(const collective_calls* calls, long size) {
  static long *source, *destination;
  static long allocated;
  const size_t bytes = (size_t)size * (size_t)bench_pes;
  shmem_barrier_all();
  if (allocated != size) {
    if (source != NULL) shmem_free(destination);
    if (source != NULL) shmem_free(source);
    source = shmem_align(4096, bytes);
    destination = shmem_align(4096, 2 * bytes);
    allocated = size;
  }
  if (source == NULL || destination == NULL) {
    fprintf(stderr, "bench: no heap for collectives of %ld bytes on %d PEs\n", size, bench_pes);
    shmem_global_exit(2);
  }
  memset(source, 0, bytes);
  memset(destination, 0, 2 * bytes);
  reset_sync();
  collective_begin(calls, size / 8, source, destination);
  shmem_barrier_all();
}

static void usual(long size) {
  prepare(&usual_calls, size);
}
static void active(long size) {
  prepare(&active_calls, size);
}

const bench_case collective_cases[] = {
    {"broadcast", HOW("long_broadcast", "broadcast64") ", root goes round", reference_line, usual,
     collective_broadcast, collective_valid, bench_everyone, collective_sizes},
    {"sum", HOW("long_sum_reduce", "long_sum_to_all"), reference_exchange, usual, collective_sum,
     collective_valid, bench_everyone, collective_sizes},
    {"fcollect", HOW("long_fcollect", "fcollect64"), reference_exchange, usual, collective_fcollect,
     collective_valid, bench_everyone, collective_sizes},
    {"alltoall", HOW("long_alltoall", "alltoall64"), reference_exchange, usual, collective_alltoall,
     collective_valid, bench_everyone, collective_sizes},
    {"collect", HOW("long_collect", "collect64"), reference_exchange, usual, collective_collect,
     collective_valid, bench_everyone, collective_sizes},
    {"alltoalls", HOW("long_alltoalls", "alltoalls64"), reference_exchange, usual,
     collective_alltoalls, collective_valid, bench_everyone, collective_sizes},
    {"broadcast", HOW("long_broadcast", "broadcast64"), reference_line, usual,
     collective_broadcast_root0, collective_valid, bench_stamped, collective_sizes},
    {"sum", HOW("long_sum_reduce", "long_sum_to_all"), reference_exchange, usual, collective_sum,
     collective_valid, bench_stamped, collective_sizes},
    {"fcollect", HOW("long_fcollect", "fcollect64"), reference_exchange, usual, collective_fcollect,
     collective_valid, bench_stamped, collective_sizes},
    {"alltoall", HOW("long_alltoall", "alltoall64"), reference_exchange, usual, collective_alltoall,
     collective_valid, bench_stamped, collective_sizes},
    {"collect", HOW("long_collect", "collect64"), reference_exchange, usual, collective_collect,
     collective_valid, bench_stamped, collective_sizes},
    {"alltoalls", HOW("long_alltoalls", "alltoalls64"), reference_exchange, usual,
     collective_alltoalls, collective_valid, bench_stamped, collective_sizes},
#if BENCH_HAS_1_6
    {"inscan", "long_sum_inscan", reference_exchange, usual, collective_inscan, collective_valid,
     bench_stamped, collective_sizes},
    {"exscan", "long_sum_exscan", reference_exchange, usual, collective_exscan, collective_valid,
     bench_stamped, collective_sizes},
#endif
    {"skewed.broadcast", HOW("long_broadcast", "broadcast64") ", PEs come up to 20 us late", reference_line, usual,
     collective_broadcast_root0, collective_valid, bench_skewed, collective_sizes},
    {"skewed.sum", HOW("long_sum_reduce", "long_sum_to_all") ", late", reference_exchange, usual,
     collective_sum, collective_valid, bench_skewed, collective_sizes},
    {"skewed.fcollect", HOW("long_fcollect", "fcollect64") ", late", reference_exchange, usual,
     collective_fcollect, collective_valid, bench_skewed, collective_sizes},
    {"skewed.alltoall", HOW("long_alltoall", "alltoall64") ", late", reference_exchange, usual,
     collective_alltoall, collective_valid, bench_skewed, collective_sizes},
    {"sum_in_place", HOW("long_sum_reduce", "long_sum_to_all") ", dest is source", reference_exchange, usual,
     collective_sum_in_place, collective_valid, bench_everyone, collective_sizes},
    {"broadcast_aset", "broadcast64, root goes round", reference_line, active, collective_broadcast,
     collective_valid, bench_everyone, collective_sizes},
    {"sum_aset", "long_sum_to_all", reference_exchange, active, collective_sum, collective_valid,
     bench_everyone, collective_sizes},
    {"fcollect_aset", "fcollect64", reference_exchange, active, collective_fcollect,
     collective_valid, bench_everyone, collective_sizes},
    {"alltoall_aset", "alltoall64", reference_exchange, active, collective_alltoall,
     collective_valid, bench_everyone, collective_sizes},
    {"collect_aset", "collect64", reference_exchange, active, collective_collect, collective_valid,
     bench_everyone, collective_sizes},
    {"alltoalls_aset", "alltoalls64", reference_exchange, active, collective_alltoalls,
     collective_valid, bench_everyone, collective_sizes},
    {0}};
