// Symmetric allocation by size, and contexts by option.
#include <stdint.h>
#include <string.h>

#include "cases.h"

static size_t bytes;
static long wrong;

static void prepare(long size) {
  bytes = (size_t)size;
  wrong = 0;
}
static bool right(long first, long count) {
  (void)first;
  return count > 0 && wrong == 0;
}

// Aligned, writable to both ends, and at the same symmetric address: a write of another PE arrives.
static void use(unsigned char* at) {
  wrong += at == NULL || (uintptr_t)at % 8 != 0;
  if (at != NULL) at[0] = at[bytes - 1] = 1;
}
static void heap_malloc(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    unsigned char* const at = shmem_malloc(bytes);
    use(at);
    shmem_free(at);
  }
}
static void heap_align(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    unsigned char* const at = shmem_align(4096, bytes);
    use(at);
    wrong += (uintptr_t)at % 4096 != 0;
    shmem_free(at);
  }
}
static void heap_calloc(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    unsigned char* const at = shmem_calloc(bytes, 1);
    wrong += at == NULL || at[0] != 0 || at[bytes - 1] != 0;
    use(at);
    shmem_free(at);
  }
}
static void heap_realloc(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    unsigned char* at = shmem_malloc(bytes);
    use(at);
    at = shmem_realloc(at, 2 * bytes);
    wrong += at == NULL || at[0] != 1 || at[bytes - 1] != 1;
    shmem_free(at);
  }
}
#if BENCH_HAS_MALLOC_HINTS
static void heap_hints(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    unsigned char* const at = shmem_malloc_with_hints(bytes, SHMEM_MALLOC_ATOMICS_REMOTE);
    use(at);
    shmem_free(at);
  }
}
#endif

#if BENCH_HAS_CONTEXTS
static void make_contexts(long options, long first, long count) {
  for (long i = first; i < first + count; ++i) {
    shmem_ctx_t made;
    wrong += shmem_ctx_create(options, &made) != 0;
    shmem_ctx_destroy(made);
  }
}
static void ctx_shared(long first, long count) { make_contexts(0, first, count); }
static void ctx_serialized(long first, long count) { make_contexts(SHMEM_CTX_SERIALIZED, first, count); }
static void ctx_private(long first, long count) { make_contexts(SHMEM_CTX_PRIVATE, first, count); }
static void ctx_nostore(long first, long count) { make_contexts(SHMEM_CTX_NOSTORE, first, count); }

// A small put on a context of its own.
static shmem_ctx_t context;
static bool context_made;
static void prepare_put(long size) {
  prepare(size);
  memset(target, 0, target_words * sizeof *target);
  if (!context_made) context_made = shmem_ctx_create(SHMEM_CTX_PRIVATE, &context) == 0;
}
static void ctx_put(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    shmem_ctx_long_put(context, &target[word_of(i)], &i, 1, next_pe);
    shmem_ctx_quiet(context);
  }
}
static bool put_arrived(long first, long count) {
  const long last = first + count;
  return bench_me != 1 % bench_pes || target[word_of(last)] == last;
}
#endif

static const long sizes[] = {4096, 64, 1 << 20, 0};
enum { all = bench_everyone | bench_bytewise };

BENCH_KINDS = {{"heap.*", "manage", "symmetric allocation", .completion = "remote"},
               {"ctx.*", "manage", "contexts", .completion = "remote"}};

static const bench_case cases[] = {
    {"heap.malloc", "malloc, free", 0, prepare, heap_malloc, right, all, sizes},
    {"heap.align", "align to 4096, free", 0, prepare, heap_align, right, all, sizes},
    {"heap.calloc", "calloc, free", 0, prepare, heap_calloc, right, all, sizes},
    {"heap.realloc", "malloc, realloc to twice, free", 0, prepare, heap_realloc, right, all, sizes},
#if BENCH_HAS_MALLOC_HINTS
    {"heap.hints", "malloc_with_hints for atomics, free", 0, prepare, heap_hints, right, all, sizes},
#endif
#if BENCH_HAS_CONTEXTS
    {"ctx.shared", "ctx_create, ctx_destroy", 0, prepare, ctx_shared, right, bench_everyone, NULL},
    {"ctx.serialized", "ctx_create of a serialized one, ctx_destroy", 0, prepare, ctx_serialized, right, bench_everyone,
     NULL},
    {"ctx.private", "ctx_create of a private one, ctx_destroy", 0, prepare, ctx_private, right, bench_everyone, NULL},
    {"ctx.nostore", "ctx_create of one without stores, ctx_destroy", 0, prepare, ctx_nostore, right, bench_everyone,
     NULL},
    {"ctx.put", "ctx_long_put(1) + ctx_quiet on a private context", reference_store_fence, prepare_put, ctx_put,
     put_arrived, bench_alone, eight_bytes},
#endif
    {0}};

BENCH_CASES(bench_any_pes, cases)
