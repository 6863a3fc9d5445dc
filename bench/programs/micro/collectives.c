// Collectives over all PEs. Plain names use teams if the library has them, else active sets; *_aset names use active
// sets. They run back to back. *_local and *_span results are of single operations after a barrier of the harness.
#include "collective.h"

#include <stdio.h>
#include <string.h>

#include "cases.h"

enum { sync_words = 512, most_elements = (1 << 20) / 8 };

_Static_assert((int)SHMEM_BCAST_SYNC_SIZE <= sync_words, "pSync of broadcasts");
_Static_assert((int)SHMEM_REDUCE_SYNC_SIZE <= sync_words, "pSync of reductions");
_Static_assert((int)SHMEM_COLLECT_SYNC_SIZE <= sync_words, "pSync of collects");
_Static_assert((int)SHMEM_ALLTOALL_SYNC_SIZE <= sync_words, "pSync of alltoalls");

// Symmetric work arrays, alternating by the parity of the operation.
static long broadcast_sync[2][sync_words], sum_sync[2][sync_words], fcollect_sync[2][sync_words],
    alltoall_sync[2][sync_words];
static long sum_work[2][most_elements / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];

static void active_broadcast(long* dest, long* source, long elements, int root, long operation) {
  shmem_broadcast64(dest, source, (size_t)elements, root, 0, 0, bench_pes, broadcast_sync[operation % 2]);
}

static void active_sum(long* dest, long* source, long elements, long operation) {
  shmem_long_sum_to_all(dest, source, (int)elements, 0, 0, bench_pes, sum_work[operation % 2], sum_sync[operation % 2]);
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
  shmem_alltoalls64(dest, source, stride, stride, (size_t)collective_strided(elements), 0, 0, bench_pes,
                    alltoall_sync[operation % 2]);
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
  shmem_long_alltoalls(SHMEM_TEAM_WORLD, dest, source, stride, stride, (size_t)collective_strided(elements));
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
      broadcast_sync[half][word] = sum_sync[half][word] = fcollect_sync[half][word] = alltoall_sync[half][word] =
          SHMEM_SYNC_VALUE;
}

// Collective. Keeps the arrays until another size is requested.
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

static void usual(long size) { prepare(&usual_calls, size); }
static void active(long size) { prepare(&active_calls, size); }

BENCH_KINDS = {
    {"broadcast*", "collectives", "one PE's block to all", .completion = "notified", .omb = "Broadcast", .radar = true},
    {"sum*", "collectives", "sum of all", .completion = "notified", .omb = "Reduce", .radar = true},
    {"fcollect*", "collectives", "a block of each to all, equal lengths", .completion = "notified", .omb = "FCollect",
     .radar = true},
    {"collect*", "collectives", "a block of each to all, any lengths", .completion = "notified", .omb = "Collect",
     .radar = true},
    {"alltoalls*", "collectives", "from each another block to each, strided", .completion = "notified"},
    {"alltoall*", "collectives", "from each another block to each", .completion = "notified", .radar = true},
    {"skewed.*", "collectives", "PEs come up to 20 µs apart: from the last arrival to the last exit",
     .completion = "notified"},
    {"inscan*", "collectives", "inclusive scan", .completion = "notified"},
    {"exscan*", "collectives", "exclusive scan", .completion = "notified"}};

static const bench_case cases[] = {
    {"broadcast", HOW("long_broadcast", "broadcast64") ", root goes round", reference_line, usual, collective_broadcast,
     collective_valid, bench_everyone, collective_sizes},
    {"sum", HOW("long_sum_reduce", "long_sum_to_all"), reference_exchange, usual, collective_sum, collective_valid,
     bench_everyone, collective_sizes},
    {"fcollect", HOW("long_fcollect", "fcollect64"), reference_exchange, usual, collective_fcollect, collective_valid,
     bench_everyone, collective_sizes},
    {"alltoall", HOW("long_alltoall", "alltoall64"), reference_exchange, usual, collective_alltoall, collective_valid,
     bench_everyone, collective_sizes},
    {"collect", HOW("long_collect", "collect64"), reference_exchange, usual, collective_collect, collective_valid,
     bench_everyone, collective_sizes},
    {"alltoalls", HOW("long_alltoalls", "alltoalls64"), reference_exchange, usual, collective_alltoalls,
     collective_valid, bench_everyone, collective_sizes},
    {"broadcast", HOW("long_broadcast", "broadcast64"), reference_line, usual, collective_broadcast_root0,
     collective_valid, bench_stamped, collective_sizes},
    {"sum", HOW("long_sum_reduce", "long_sum_to_all"), reference_exchange, usual, collective_sum, collective_valid,
     bench_stamped, collective_sizes},
    {"fcollect", HOW("long_fcollect", "fcollect64"), reference_exchange, usual, collective_fcollect, collective_valid,
     bench_stamped, collective_sizes},
    {"alltoall", HOW("long_alltoall", "alltoall64"), reference_exchange, usual, collective_alltoall, collective_valid,
     bench_stamped, collective_sizes},
    {"collect", HOW("long_collect", "collect64"), reference_exchange, usual, collective_collect, collective_valid,
     bench_stamped, collective_sizes},
    {"alltoalls", HOW("long_alltoalls", "alltoalls64"), reference_exchange, usual, collective_alltoalls,
     collective_valid, bench_stamped, collective_sizes},
#if BENCH_HAS_1_6
    {"inscan", "long_sum_inscan", reference_exchange, usual, collective_inscan, collective_valid, bench_stamped,
     collective_sizes},
    {"exscan", "long_sum_exscan", reference_exchange, usual, collective_exscan, collective_valid, bench_stamped,
     collective_sizes},
#endif
    {"skewed.broadcast", HOW("long_broadcast", "broadcast64") ", PEs come up to 20 us late", reference_line, usual,
     collective_broadcast_root0, collective_valid, bench_skewed, collective_sizes},
    {"skewed.sum", HOW("long_sum_reduce", "long_sum_to_all") ", late", reference_exchange, usual, collective_sum,
     collective_valid, bench_skewed, collective_sizes},
    {"skewed.fcollect", HOW("long_fcollect", "fcollect64") ", late", reference_exchange, usual, collective_fcollect,
     collective_valid, bench_skewed, collective_sizes},
    {"skewed.alltoall", HOW("long_alltoall", "alltoall64") ", late", reference_exchange, usual, collective_alltoall,
     collective_valid, bench_skewed, collective_sizes},
    {"sum_in_place", HOW("long_sum_reduce", "long_sum_to_all") ", dest is source", reference_exchange, usual,
     collective_sum_in_place, collective_valid, bench_everyone, collective_sizes},
    {"broadcast_aset", "broadcast64, root goes round", reference_line, active, collective_broadcast, collective_valid,
     bench_everyone, collective_sizes},
    {"sum_aset", "long_sum_to_all", reference_exchange, active, collective_sum, collective_valid, bench_everyone,
     collective_sizes},
    {"fcollect_aset", "fcollect64", reference_exchange, active, collective_fcollect, collective_valid, bench_everyone,
     collective_sizes},
    {"alltoall_aset", "alltoall64", reference_exchange, active, collective_alltoall, collective_valid, bench_everyone,
     collective_sizes},
    {"collect_aset", "collect64", reference_exchange, active, collective_collect, collective_valid, bench_everyone,
     collective_sizes},
    {"alltoalls_aset", "alltoalls64", reference_exchange, active, collective_alltoalls, collective_valid,
     bench_everyone, collective_sizes},
    {0}};

BENCH_CASES(bench_any_pes, cases)

// Fault: broadcast moves nothing.
// Noticed by: broadcast_aset
#ifdef BENCH_FAULT
void shmem_broadcast64(void* d, const void* s, size_t n, int root, int start, int stride, int size, long* sync) {}
#endif

// Fault: sum adds nothing.
// Noticed by: sum_aset
#ifdef BENCH_FAULT
void shmem_long_sum_to_all(long* d, const long* s, int n, int start, int stride, int size, long* work, long* sync) {
  memcpy(d, s, sizeof(long) * (size_t)n);
}
#endif

// Fault: alltoall leaves out the last block.
// Noticed by: alltoall_aset
#ifdef BENCH_FAULT
void shmem_alltoall64(void* d, const void* s, size_t n, int start, int stride, int size, long* sync) {
  memcpy(d, s, 8 * n);
}
#endif

// Fault: collect and alltoalls leave out what others give.
// Noticed by: collect_aset, alltoalls_aset
#ifdef BENCH_FAULT
void shmem_collect64(void* d, const void* s, size_t n, int start, int stride, int size, long* sync) {
  memcpy(d, s, 8 * n);
}
void shmem_alltoalls64(void* d, const void* s, ptrdiff_t dt, ptrdiff_t st, size_t n, int start, int stride, int size,
                       long* sync) {
  memcpy(d, s, 8 * n);
}
#endif

// Fault: results are right in the first and the last element only.
// Noticed by: sum, broadcast, fcollect, alltoall
#ifdef BENCH_FAULT
#include <pshmem.h>
static void spoil(long* d, size_t blocks, size_t n) {
  for (size_t b = 0; b < blocks; ++b)
    for (size_t e = 1; e + 1 < n; ++e) d[b * n + e] = -777;
}
int shmem_long_sum_reduce(shmem_team_t t, long* d, const long* s, size_t n) {
  const int status = pshmem_long_sum_reduce(t, d, s, n);
  return spoil(d, 1, n), status;
}
int shmem_long_broadcast(shmem_team_t t, long* d, const long* s, size_t n, int root) {
  const int status = pshmem_long_broadcast(t, d, s, n, root);
  return spoil(d, 1, n), status;
}
int shmem_long_fcollect(shmem_team_t t, long* d, const long* s, size_t n) {
  const int status = pshmem_long_fcollect(t, d, s, n);
  return spoil(d, (size_t)shmem_team_n_pes(t), n), status;
}
int shmem_long_alltoall(shmem_team_t t, long* d, const long* s, size_t n) {
  const int status = pshmem_long_alltoall(t, d, s, n);
  return spoil(d, (size_t)shmem_team_n_pes(t), n), status;
}
#endif
