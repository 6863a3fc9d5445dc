// Put and Get with nothing in a cache: the counterparts of ../micro/cold.c.
#include "cold.h"

#include "cases.h"

static cold_area area;

// Makes local writes visible in the window.
static void renew(unsigned char* source, unsigned char* target) {
  cold_renew(&area, source, target);
  window_refresh();
}

static void prepare_put(long size) {
  area = cold_begin((size_t)size);
  renew(local_block, window_block);
}
static void prepare_get(long size) {
  area = cold_begin((size_t)size);
  renew(window_block, local_block);
}

static void put(long first, long count) {
  const int bytes = (int)area.length;
  for (long i = first; i < first + count; ++i) {
    const size_t at = cold_offset(&area, i);
    MPI_Put(local_block + at, bytes, MPI_BYTE, next_rank, (MPI_Aint)at, bytes, MPI_BYTE, window);
    MPI_Win_flush(next_rank, window);
  }
}
static void get(long first, long count) {
  const int bytes = (int)area.length;
  for (long i = first; i < first + count; ++i) {
    const size_t at = cold_offset(&area, i);
    MPI_Get(local_block + at, bytes, MPI_BYTE, next_rank, (MPI_Aint)at, bytes, MPI_BYTE, window);
    MPI_Win_flush(next_rank, window);
  }
}

static bool put_valid(long first, long count) {
  window_refresh();
  const bool ok = bench_me != 1 || cold_arrived(&area, window_block, first, count);
  renew(local_block, window_block);
  return ok;
}
static bool get_valid(long first, long count) {
  const bool ok = bench_me != 0 || cold_arrived(&area, local_block, first, count);
  renew(window_block, local_block);
  return ok;
}

enum { mode = bench_assisted | bench_cold | bench_bytewise };
static const long sizes[] = {4 << 10, 64, 1 << 10, 64 << 10, 1 << 20, 0};

static const bench_case cases[] = {
    {"put_cold", "Put + Win_flush, nothing in a cache", reference_copy_cold, prepare_put, put, put_valid, mode, sizes},
    {"get_cold", "Get + Win_flush, nothing in a cache", reference_copy_cold, prepare_get, get, get_valid, mode, sizes},
    {0}};

BENCH_CASES(bench_two_pes, cases)
