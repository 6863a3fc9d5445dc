// Larger puts and gets against memcpy of the same length. The first word, one in the middle and the last carry the
// number of the operation; the first batch is compared byte for byte.
#include <string.h>

#include "cases.h"

static size_t length;
static bool compared;  // whether all bytes have been

static unsigned char pattern(size_t at) { return (unsigned char)(at * 7 + at / 251); }

static void fill_block(unsigned char* block) {
  for (size_t at = 0; at < length; ++at) block[at] = pattern(at);
}

static void stamp(unsigned char* block, long number) {
  memcpy(block, &number, sizeof number);
  memcpy(block + length / 16 * 8, &number, sizeof number);
  memcpy(block + length - sizeof number, &number, sizeof number);
}

static bool arrived(const unsigned char* block, long number) {
  const size_t middle = length / 16 * 8, last = length - sizeof number;
  if (memcmp(block, &number, 8) != 0 || memcmp(block + middle, &number, 8) != 0 || memcmp(block + last, &number, 8) != 0)
    return false;
  if (compared) return true;
  compared = true;
  for (size_t at = 0; at < length; ++at)
    if (block[at] != pattern(at) && at / 8 != 0 && at / 8 != middle / 8 && at / 8 != last / 8) return false;
  return true;
}

static void prepare_put(long size) {
  length = (size_t)size;
  compared = false;
  if (bench_me == 0) fill_block(local_block);
  memset(remote_block, 0, length);
}

static void put(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    stamp(local_block, i);
    shmem_putmem(remote_block, local_block, length, next_pe);
    shmem_quiet();
  }
}

static void ptr_copy_out(long first, long count) {
  unsigned char* there = shmem_ptr(remote_block, next_pe);
  if (there == NULL) return;
  for (long i = first + 1; i <= first + count; ++i) {
    stamp(local_block, i);
    memcpy(there, local_block, length);
    shmem_quiet();
  }
}

static bool put_valid(long first, long count) { return bench_me != 1 % bench_pes || arrived(remote_block, first + count); }

// What is got does not change while process 0 gets it, but the place it goes to is spoilt before each get.
static void prepare_get(long size) {
  length = (size_t)size;
  compared = false;
  fill_block(remote_block);
  stamp(remote_block, bench_me == 0 ? -1 : 1);
  memset(local_block, 0, length);
}

static void get(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    stamp(local_block, 0);
    shmem_getmem(local_block, remote_block, length, next_pe);
  }
}

static void ptr_copy_in(long first, long count) {
  const unsigned char* there = shmem_ptr(remote_block, next_pe);
  if (there == NULL) return;
  for (long i = first; i < first + count; ++i) {
    stamp(local_block, 0);
    memcpy(local_block, there, length);
    __asm__ volatile("" : : : "memory");
  }
}

static bool get_valid(long first, long count) {
  (void)first;
  return count > 0 && (bench_me != 0 || arrived(local_block, 1));
}

static const long sizes[] = {1 << 20, 64, 1 << 10, 4 << 10, 64 << 10, 4 << 20, 0};

const bench_case block_cases[] = {
    {"put", "putmem + quiet", reference_copy_out, prepare_put, put, put_valid, bench_alone, sizes},
    {"ptr_copy_out", "memcpy to shmem_ptr", reference_copy_out, prepare_put, ptr_copy_out, put_valid, bench_alone, sizes},
    {"get", "getmem", reference_copy_in, prepare_get, get, get_valid, bench_alone, sizes},
    {"ptr_copy_in", "memcpy from shmem_ptr", reference_copy_in, prepare_get, ptr_copy_in, get_valid, bench_alone, sizes},
    {0}};
