// Puts and gets with neither source nor destination in a cache.
#include "cold.h"

#include "cases.h"

static cold_area area;

// The source of a put is local, that of a get remote.
static void prepare_put(long size) {
  area = cold_begin((size_t)size);
  cold_renew(&area, local_block, remote_block);
}
static void prepare_get(long size) {
  area = cold_begin((size_t)size);
  cold_renew(&area, remote_block, local_block);
}

static void put(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    shmem_putmem(remote_block + cold_offset(&area, i), local_block + cold_offset(&area, i), area.length, next_pe);
    shmem_quiet();
  }
}
static void get(long first, long count) {
  for (long i = first; i < first + count; ++i)
    shmem_getmem(local_block + cold_offset(&area, i), remote_block + cold_offset(&area, i), area.length, next_pe);
}

static bool put_valid(long first, long count) {
  const bool ok = bench_me != 1 || cold_arrived(&area, remote_block, first, count);
  cold_renew(&area, local_block, remote_block);
  return ok;
}
static bool get_valid(long first, long count) {
  const bool ok = bench_me != 0 || cold_arrived(&area, local_block, first, count);
  cold_renew(&area, remote_block, local_block);
  return ok;
}

enum { mode = bench_alone | bench_cold | bench_bytewise };
static const long sizes[] = {4 << 10, 64, 1 << 10, 64 << 10, 1 << 20, 0};

BENCH_KINDS = {{"put_cold", "pt2pt", "put of data that is in no cache, completed", .streams = 1},
               {"get_cold", "pt2pt", "get of data that is in no cache", .completion = "local", .streams = 1}};

static const bench_case cases[] = {
    {"put_cold", "putmem + quiet, nothing in a cache", reference_copy_cold, prepare_put, put, put_valid, mode, sizes},
    {"get_cold", "getmem, nothing in a cache", reference_copy_cold, prepare_get, get, get_valid, mode, sizes},
    {0}};

BENCH_CASES(bench_two_pes, cases)
