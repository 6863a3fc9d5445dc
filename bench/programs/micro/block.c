// Larger puts and gets, compared with a memcpy of the same length.
#include "block.h"

#include <string.h>

#include "cases.h"

static size_t length;
static unsigned char static_block[64 << 10];  // symmetric too: data of the executable

static void prepare_put(long size) {
  length = (size_t)size;
  block_begin(length);
  block_fill(local_block);
  memset(remote_block, 0, length);
}

static void put(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    block_stamp(local_block, i);
    shmem_putmem(remote_block, local_block, length, next_pe);
    shmem_quiet();
  }
}

// To itself: the cost without another PE.
static void put_self(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    block_stamp(local_block, i);
    shmem_putmem(remote_block, local_block, length, bench_me);
    shmem_quiet();
  }
}
static bool put_self_valid(long first, long count) {
  return bench_me != 0 || block_arrived(remote_block, first + count);
}

// The target waits inside the library, because Open MPI moves puts to static data only then.
static void prepare_static(long size) {
  prepare_put(size < (long)sizeof static_block ? size : (long)sizeof static_block);
  memset(static_block, 0, sizeof static_block);
}
static void put_static(long first, long count) {
  for (long i = first + 1; bench_me == 0 && i <= first + count; ++i) {
    block_stamp(local_block, i);
    shmem_putmem(static_block, local_block, length, next_pe);
    shmem_quiet();
  }
  shmem_barrier_all();
}
static bool static_valid(long first, long count) {
  return bench_me != 1 % bench_pes || block_arrived(static_block, first + count);
}

static void ptr_copy_out(long first, long count) {
  unsigned char* there = shmem_ptr(remote_block, next_pe);
  if (there == NULL) return;
  for (long i = first + 1; i <= first + count; ++i) {
    block_stamp(local_block, i);
    memcpy(there, local_block, length);
    shmem_quiet();
  }
}

static bool put_valid(long first, long count) {
  return bench_me != 1 % bench_pes || block_arrived(remote_block, first + count);
}

// The source does not change while process 0 gets it, but the destination is overwritten before each get.
static void prepare_get(long size) {
  length = (size_t)size;
  block_begin(length);
  block_fill(remote_block);
  block_stamp(remote_block, bench_me == 0 ? -1 : 1);
  memset(local_block, 0, length);
}

static void get(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    block_stamp(local_block, 0);
    shmem_getmem(local_block, remote_block, length, next_pe);
  }
}

static void get_self(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    block_stamp(local_block, 0);
    shmem_getmem(local_block, remote_block, length, bench_me);
  }
}
static void prepare_get_self(long size) {
  prepare_get(size);
  block_stamp(remote_block, 1);
}

static void ptr_copy_in(long first, long count) {
  const unsigned char* there = shmem_ptr(remote_block, next_pe);
  if (there == NULL) return;
  for (long i = first; i < first + count; ++i) {
    block_stamp(local_block, 0);
    memcpy(local_block, there, length);
    __asm__ volatile("" : : : "memory");
  }
}

static bool get_valid(long first, long count) {
  (void)first;
  return count > 0 && (bench_me != 0 || block_arrived(local_block, 1));
}

static const long sizes[] = {1 << 20, 64, 1 << 10, 4 << 10, 64 << 10, 4 << 20, 0};
static const long static_sizes[] = {64 << 10, 8, 1 << 10, 4 << 10, 0};

BENCH_KINDS = {{"put", "pt2pt", "put, completed", .streams = 1, .omb = "Put", .radar = true},
               {"get", "pt2pt", "get", .completion = "local", .streams = 1, .omb = "Get", .radar = true},
               {"*_self", "pt2pt", "put to and get from oneself", .streams = 1},
               {"put_static", "pt2pt", "put to static data", .streams = 1}};

static const bench_case cases[] = {
    {"put", "putmem + quiet", reference_copy_out, prepare_put, put, put_valid, bench_alone | bench_bytewise, sizes},
    {"ptr_copy_out", "memcpy to shmem_ptr", reference_copy_out, prepare_put, ptr_copy_out, put_valid,
     bench_alone | bench_bytewise, sizes},
    {"get", "getmem", reference_copy_in, prepare_get, get, get_valid, bench_alone | bench_bytewise, sizes},
    {"put_self", "putmem to itself + quiet", reference_copy_out, prepare_put, put_self, put_self_valid,
     bench_alone | bench_bytewise, sizes},
    {"get_self", "getmem from itself", reference_copy_in, prepare_get_self, get_self, get_valid,
     bench_alone | bench_bytewise, sizes},
    {"put_static", "putmem to static data + quiet; the target is in barrier_all", reference_copy_out, prepare_static,
     put_static, static_valid, bench_everyone | bench_bytewise, static_sizes},
    {"ptr_copy_in", "memcpy from shmem_ptr", reference_copy_in, prepare_get, ptr_copy_in, get_valid, bench_alone,
     sizes},
    {0}};

BENCH_CASES(bench_two_pes, cases)

// Fault: put forgets the last byte.
// Noticed by: put, put_cold, put_to_barrier, put_to_wait, put_self, put_static, bw.put_blocking
#ifdef BENCH_FAULT
void shmem_putmem(void* d, const void* s, size_t n, int pe) {
  void* there = shmem_ptr(d, pe);
  if (there) memcpy(there, s, n - 1);
}
#endif

// Fault: put forgets a page in the middle.
// Noticed by: put
#ifdef BENCH_FAULT
void shmem_putmem(void* d, const void* s, size_t n, int pe) {
  char* to = shmem_ptr(d, pe);
  size_t gap = n / 4;
  memcpy(to, s, gap);
  memcpy(to + gap + 4096, (const char*)s + gap + 4096, n - gap - 4096);
}
#endif

// Fault: from its 200th call on, a put moves only the words that carry the number.
// Noticed by: put, put_self, bw.put_blocking, order.quiet, pp_flag
#ifdef BENCH_FAULT
void shmem_putmem(void* d, const void* s, size_t n, int pe) {
  static long calls;
  char* to = shmem_ptr(d, pe);
  const size_t middle = n / 16 * 8;
  if (++calls < 200 || n < 24) {
    memcpy(to, s, n);
    return;
  }
  memcpy(to, s, 8);
  memcpy(to + middle, (const char*)s + middle, 8);
  memcpy(to + n - 8, (const char*)s + n - 8, 8);
}
#endif

// Fault: getmem moves nothing.
// Noticed by: getmem, get, get_cold, get_self
#ifdef BENCH_FAULT
void shmem_getmem(void* d, const void* s, size_t n, int pe) {}
#endif
