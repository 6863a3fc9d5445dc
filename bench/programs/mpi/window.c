// One-sided: Put, Get and Fetch_and_op under lock_all, completed at the target by flush.
#include <string.h>

#include "block.h"
#include "cases.h"

static long value;
static long sum;
static size_t length;

// ---- 8 bytes: operation i stores i

static void clear(long size) {
  (void)size;
  memset(target, 0, target_words * sizeof *target);
  window_refresh();
}

static void put_one(long i) {
  MPI_Put(&value, 1, MPI_LONG, next_rank, (MPI_Aint)(word_of(i) * sizeof(long)), 1, MPI_LONG, window);
}

static void put_quiet(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    value = i;
    put_one(i);
    MPI_Win_flush(next_rank, window);
  }
}

// The origin may not change before the flush, so each operation has its own.
static void put_rate(long first, long count) {
  static long values[target_words];
  for (long i = first + 1; i <= first + count; ++i) {
    values[word_of(i)] = i;
    MPI_Put(&values[word_of(i)], 1, MPI_LONG, next_rank, (MPI_Aint)(word_of(i) * sizeof(long)), 1, MPI_LONG, window);
    if (word_of(i) == target_words - 1) MPI_Win_flush(next_rank, window);
  }
  MPI_Win_flush(next_rank, window);
}

static bool stored(long first, long count) {
  if (bench_me != 1 % bench_pes) return true;
  window_refresh();
  const long last = first + count, oldest = count < target_words ? first + 1 : last - target_words + 1;
  for (long i = oldest; i <= last; ++i)
    if (target[word_of(i)] != i) return false;
  return true;
}

static void fill(long size) {
  (void)size;
  for (long w = 0; w < target_words; ++w) target[w] = bench_me == 0 ? -1 : (w + 1) % target_words;
  window_refresh();
}

static void get(long first, long count) {
  long got = 0, total = 0;
  for (long i = first + 1; i <= first + count; ++i) {
    MPI_Get(&got, 1, MPI_LONG, next_rank, (MPI_Aint)(word_of(i) * sizeof(long)), 1, MPI_LONG, window);
    MPI_Win_flush(next_rank, window);
    total += got;
  }
  sum = total;
}

static bool summed(long first, long count) {
  if (bench_me != 0) return true;
  long expected = 0;
  for (long i = first + 1; i <= first + count; ++i) expected += (long)word_of(i + 1);
  return sum == expected;
}

static void fetch_add(long first, long count) {
  (void)first;
  const long one = 1;
  long total = 0;
  for (long i = 0; i < count; ++i) {
    long old = 0;
    MPI_Fetch_and_op(&one, &old, MPI_LONG, next_rank, 0, MPI_SUM, window);
    MPI_Win_flush(next_rank, window);
    total += old;
  }
  sum = total;
}

static bool added(long first, long count) {
  window_refresh();
  if (bench_me == 0 && sum != count * first + count * (count - 1) / 2) return false;
  return bench_me != 1 % bench_pes || target[0] == first + count;
}

// ---- blocks

static void prepare_block(long size) {
  length = (size_t)size;
  block_begin(length);
  if (bench_me == 0) block_fill(local_block);
  memset(window_block, 0, length);
  window_refresh();
}

static void put_block(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    block_stamp(local_block, i);
    MPI_Put(local_block, (int)length, MPI_BYTE, next_rank, 0, (int)length, MPI_BYTE, window);
    MPI_Win_flush(next_rank, window);
  }
}

static bool put_valid(long first, long count) {
  window_refresh();
  return bench_me != 1 % bench_pes || block_arrived(window_block, first + count);
}

static void prepare_source(long size) {
  length = (size_t)size;
  block_begin(length);
  block_fill(window_block);
  block_stamp(window_block, bench_me == 0 ? -1 : 1);
  memset(local_block, 0, length);
  window_refresh();
}

static void get_block(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    block_stamp(local_block, 0);
    MPI_Get(local_block, (int)length, MPI_BYTE, next_rank, 0, (int)length, MPI_BYTE, window);
    MPI_Win_flush(next_rank, window);
  }
}

static bool get_valid(long first, long count) {
  (void)first;
  return count > 0 && (bench_me != 0 || block_arrived(local_block, 1));
}

static const long sizes[] = {1 << 20, 64, 1 << 10, 4 << 10, 64 << 10, 4 << 20, 0};

static const bench_case cases[] = {
    {"put_quiet", "Put + Win_flush", reference_store_fence, clear, put_quiet, stored, bench_assisted, eight_bytes},
    {"put_rate", "Put", reference_store, clear, put_rate, stored, bench_assisted, eight_bytes},
    {"get", "Get + Win_flush", reference_load, fill, get, summed, bench_assisted, eight_bytes},
    {"fetch_add", "Fetch_and_op + Win_flush", reference_xadd, clear, fetch_add, added, bench_assisted, eight_bytes},
    {"put", "Put + Win_flush", reference_copy_out, prepare_block, put_block, put_valid, bench_assisted | bench_bytewise,
     sizes},
    {"get", "Get + Win_flush", reference_copy_in, prepare_source, get_block, get_valid, bench_assisted | bench_bytewise,
     sizes},
    {0}};

BENCH_CASES(bench_two_pes, cases)

// Fault: a Put forgets the last byte.
// Noticed by: put, pp_flag, window.put.*
#ifdef BENCH_FAULT
int MPI_Put(const void* o, int n, MPI_Datatype t, int r, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w) {
  int less = t == MPI_BYTE;
  return PMPI_Put(o, n - less, t, r, at, m - less, u, w);
}
#endif
