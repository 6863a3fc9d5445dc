// 512 longs, every s-th element; the stride is the size of the case. The block forms move 8 elements at a time, or as
// many as the size of the case (_blocks), and skip as many.
#include <string.h>

#include "cases.h"

enum { elements = 512 };

static long* there(void) { return (long*)(void*)remote_block; }
static long* here(void) { return (long*)(void*)local_block; }
static ptrdiff_t stride, block = 8;

static void prepare(long size) {
  stride = size;
  memset(remote_block, 0, block_bytes);
  memset(local_block, 0, block_bytes);
  for (long i = 0; i < elements; ++i) there()[i * stride] = bench_me == 0 ? -1 : i;
  shmem_barrier_all();
}

// The first and the last element carry the operation; in a check of whole results all do.
static long sent(long i, long element) { return i + element * 1000003; }
static void number(long i) {
  here()[0] = here()[(elements - 1) * stride] = i;
  for (long e = 0; bench_whole && e < elements; ++e) here()[e * stride] = sent(i, e);
}
static bool numbered(long found, long i, long element) {
  const bool timed_inside = !bench_whole && element > 0 && element < elements - 1;
  return found == (timed_inside ? 0 : bench_whole ? sent(i, element) : i);
}
static void iput(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    number(i);
    shmem_long_iput(there(), here(), stride, stride, elements, next_pe);
    shmem_quiet();
  }
}
static bool put_arrived(long first, long count) {
  bool ok = true;
  for (long e = 0; bench_me == 1 % bench_pes && e < elements; ++e)
    ok &= numbered(there()[e * stride], first + count, e);
  return ok;
}
static void iget(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    number(-2);
    shmem_long_iget(here(), there(), stride, stride, elements, next_pe);
  }
}
static bool got(long first, long count) {
  (void)first;
  bool ok = count > 0;
  for (long i = 0; bench_me == 0 && i < elements; ++i) ok &= here()[i * stride] == i;
  return ok;
}

#if BENCH_HAS_BLOCK_STRIDED
static long at(long i) { return i / block * stride * block + i % block; }
static void prepare_blocks_of(long elements_of_each, long size) {
  prepare(size);
  block = elements_of_each;
  memset(remote_block, 0, block_bytes);
  for (long i = 0; i < elements; ++i) there()[at(i)] = bench_me == 0 ? -1 : i;
  shmem_barrier_all();
}
static void prepare_blocks(long size) { prepare_blocks_of(8, size); }
static void prepare_block_sizes(long size) { prepare_blocks_of(size, 2); }
static void number_blocks(long i) {
  here()[0] = here()[at(elements - 1)] = i;
  for (long e = 0; bench_whole && e < elements; ++e) here()[at(e)] = sent(i, e);
}
static void ibput(long first, long count) {
  const ptrdiff_t step = stride * block;
  for (long i = first + 1; i <= first + count; ++i) {
    number_blocks(i);
    shmem_long_ibput(there(), here(), step, step, (size_t)block, (size_t)(elements / block), next_pe);
    shmem_quiet();
  }
}
static bool blocks_arrived(long first, long count) {
  bool ok = true;
  for (long e = 0; bench_me == 1 % bench_pes && e < elements; ++e) ok &= numbered(there()[at(e)], first + count, e);
  return ok;
}
static void ibget(long first, long count) {
  const ptrdiff_t step = stride * block;
  for (long i = first; i < first + count; ++i) {
    number_blocks(-2);
    shmem_long_ibget(here(), there(), step, step, (size_t)block, (size_t)(elements / block), next_pe);
  }
}
static bool blocks_got(long first, long count) {
  (void)first;
  bool ok = count > 0;
  for (long i = 0; bench_me == 0 && i < elements; ++i) ok &= here()[at(i)] == i;
  return ok;
}
#endif

static const long strides[] = {2, 8, 64, 0}, blocks[] = {8, 1, 64, 0};
enum { alone = bench_alone | bench_own_sizes };

BENCH_KINDS = {{"strided.*_blocks", "pt2pt", "every other block, by its length", .counts = "blocks of {}"},
               {"strided.*", "pt2pt", "every s-th element, by the stride", .counts = "stride {}"}};

static const bench_case cases[] = {
    {"strided.iput", "long_iput of 512, quiet", 0, prepare, iput, put_arrived, alone, strides},
    {"strided.iget", "long_iget of 512", 0, prepare, iget, got, alone, strides},
#if BENCH_HAS_BLOCK_STRIDED
    {"strided.ibput", "long_ibput of 64 blocks of 8, quiet", 0, prepare_blocks, ibput, blocks_arrived, alone, strides},
    {"strided.ibget", "long_ibget of 64 blocks of 8", 0, prepare_blocks, ibget, blocks_got, alone, strides},
    {"strided.ibput_blocks", "long_ibput of 512, every other block, quiet", 0, prepare_block_sizes, ibput,
     blocks_arrived, alone, blocks},
    {"strided.ibget_blocks", "long_ibget of 512, every other block", 0, prepare_block_sizes, ibget, blocks_got, alone,
     blocks},
#endif
    {0}};

BENCH_CASES(bench_two_pes, cases)

// Fault: an iput forgets its last element.
// Noticed by: strided.iput
#ifdef BENCH_FAULT
void shmem_long_iput(long* d, const long* s, ptrdiff_t dt, ptrdiff_t st, size_t n, int pe) {
  long* to = shmem_ptr(d, pe);
  for (size_t i = 0; i + 1 < n; ++i) to[(long)i * dt] = s[(long)i * st];
}
#endif

// Fault: an iput moves its first and last element only.
// Noticed by: strided.iput
#ifdef BENCH_FAULT
void shmem_long_iput(long* d, const long* s, ptrdiff_t dt, ptrdiff_t st, size_t n, int pe) {
  long* to = shmem_ptr(d, pe);
  to[0] = s[0];
  to[(long)(n - 1) * dt] = s[(long)(n - 1) * st];
}
#endif

// Fault: an ibput moves its first and last block only.
// Noticed by: strided.ibput, strided.ibput_blocks
#ifdef BENCH_FAULT
void shmem_long_ibput(long* d, const long* s, ptrdiff_t dt, ptrdiff_t st, size_t b, size_t n, int pe) {
  long* to = shmem_ptr(d, pe);
  memcpy(to, s, b * sizeof *s);
  memcpy(to + (long)(n - 1) * dt, s + (long)(n - 1) * st, b * sizeof *s);
}
#endif

// Fault: an ibput forgets its last block.
// Noticed by: strided.ibput, strided.ibput_blocks
#ifdef BENCH_FAULT
void shmem_long_ibput(long* d, const long* s, ptrdiff_t dt, ptrdiff_t st, size_t b, size_t n, int pe) {
  long* to = shmem_ptr(d, pe);
  for (size_t i = 0; i + 1 < n; ++i) memcpy(to + (long)i * dt, s + (long)i * st, b * sizeof *s);
}
#endif

// Fault: an ibget brings nothing.
// Noticed by: strided.ibget, strided.ibget_blocks
#ifdef BENCH_FAULT
void shmem_long_ibget(long* d, const long* s, ptrdiff_t dt, ptrdiff_t st, size_t b, size_t n, int pe) {}
#endif
