// Start and completion, overlap with computation, and windows of small puts: the counterparts of ../micro/stream.c.
#include "overlap.h"

#include <string.h>

#include "block.h"
#include "cases.h"

enum { tag = 10 };

static size_t length;
static long wrong;

static void prepare(long size) {
  length = (size_t)size;
  wrong = 0;
  block_begin(length);
  block_fill(local_block);
  memset(window_block, 0, length);
  window_refresh();
  MPI_Barrier(MPI_COMM_WORLD);
}

// ---- one transfer

static void start_put(long i) {
  block_stamp(local_block, i);
  MPI_Put(local_block, (int)length, MPI_BYTE, next_rank, 0, (int)length, MPI_BYTE, window);
}
static void start_get(void) {
  block_stamp(local_block, 0);
  MPI_Get(local_block, (int)length, MPI_BYTE, next_rank, 0, (int)length, MPI_BYTE, window);
}
static void complete(void) { MPI_Win_flush(next_rank, window); }
static void put(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    start_put(i);
    complete();
  }
}
static void get(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    start_get();
    complete();
  }
}
static bool arrived(long first, long count) {
  window_refresh();
  return bench_me != 1 % bench_pes || block_arrived(window_block, first + count);
}
static bool got(long first, long count) {
  (void)first;
  return count > 0 && (bench_me != 0 || block_arrived(local_block, next_rank + 1));
}

// ---- start and completion

static void prepare_split(long size) {
  prepare(size);
  split_prepare();
}
static void split_put(long first, long count) {
  double start = 0, wait = 0;
  for (long i = first + 1; i <= first + count; ++i) {
    const double a = overlap_now();
    start_put(i);
    const double b = overlap_now();
    complete();
    start += b - a;
    wait += overlap_now() - b;
  }
  split_tell(start, wait, count);
}

// ---- overlap with computation

static void prepare_overlap(long size) {
  prepare(size);
  overlap_prepare();
}
static void prepare_overlap_get(long size) {
  prepare_overlap(size);
  block_fill(window_block);
  block_stamp(window_block, bench_me + 1);
  window_refresh();
  MPI_Barrier(MPI_COMM_WORLD);
}
static void overlap_put(long first, long count) {
  overlap_weigh(put, first);
  const double begin = overlap_now();
  for (long i = first + 1; i <= first + count; ++i) {
    start_put(i);
    overlap_compute();
    complete();
  }
  overlap_tell(begin, count);
}
static void overlap_get(long first, long count) {
  overlap_weigh(get, first);
  const double begin = overlap_now();
  for (long i = first; i < first + count; ++i) {
    start_get();
    overlap_compute();
    complete();
  }
  overlap_tell(begin, count);
}

// The receiver is in Recv all the time, so only the sender's part can be hidden.
static void send(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    block_stamp(local_block, i);
    MPI_Send(local_block, (int)length, MPI_BYTE, next_rank, tag, MPI_COMM_WORLD);
  }
}
static void receive(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    MPI_Recv(window_block, (int)length, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += !block_arrived(window_block, i);
  }
}
static void overlap_two_sided(long first, long count) {
  if (bench_me == 1 % bench_pes) {
    receive(first, overlap_tries);
    receive(first, count);
  }
  if (bench_me != 0) return;
  overlap_weigh(send, first);
  const double begin = overlap_now();
  for (long i = first + 1; i <= first + count; ++i) {
    MPI_Request request;
    block_stamp(local_block, i);
    MPI_Isend(local_block, (int)length, MPI_BYTE, next_rank, tag, MPI_COMM_WORLD, &request);
    overlap_compute();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  overlap_tell(begin, count);
}
static bool received(long first, long count) { return wrong == 0 && arrived(first, count); }

// ---- rate: 8 bytes, the window as the size of the case

static void prepare_rate(long size) {
  length = (size_t)size;
  memset(target, 0, 1024 * sizeof *target);
  window_refresh();
  MPI_Barrier(MPI_COMM_WORLD);
}
static void rate(long first, long count) {
  static long values[1024];
  for (long i = first + 1; i <= first + count; ++i) {
    const size_t slot = (size_t)i % length;
    values[slot] = i;
    MPI_Put(&values[slot], 1, MPI_LONG, next_rank, (MPI_Aint)(slot * sizeof(long)), 1, MPI_LONG, window);
    if (slot == length - 1) complete();
  }
  complete();
}
static bool rate_arrived(long first, long count) {
  const long last = first + count;
  window_refresh();
  return bench_me != 1 % bench_pes || target[(size_t)last % length] == last;
}

static const long sizes[] = {64 << 10, 8, 512, 4 << 10, 1 << 20, 0};
static const long wide[] = {64 << 10, 1 << 20, 0};
static const long windows[] = {64, 1, 8, 256, 1024, 0};
enum { alone = bench_alone | bench_assisted | bench_bytewise };

static const bench_case cases[] = {
    {"rate.put_nbi", "Put, flush after as many as the size says", 0, prepare_rate, rate, rate_arrived,
     bench_alone | bench_assisted | bench_own_sizes, windows},
    {"split.put", "Put and flush, timed apart", reference_copy_out, prepare_split, split_put, arrived, alone, sizes},
    {"overlap.put", "Put, as long a computation, flush", 0, prepare_overlap, overlap_put, arrived, alone, wide},
    {"overlap.get", "Get, as long a computation, flush", 0, prepare_overlap_get, overlap_get, got, alone, wide},
    {"overlap.two_sided", "Isend, as long a computation, Wait", 0, prepare_overlap, overlap_two_sided, received,
     bench_everyone | bench_bytewise, wide},
    {0}};

BENCH_CASES(bench_two_pes, cases)
