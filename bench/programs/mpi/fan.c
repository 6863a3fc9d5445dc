// All to one and one to all: the counterparts of fan_in and fan_out in ../micro/stream.c, by RMA and by messages.
#include <string.h>

#include "block.h"
#include "cases.h"

enum { tag = 9 };

static size_t length;
static long wrong;

// Each sender has a segment of the block of process 0.
static size_t share(void) { return block_bytes / (size_t)bench_pes / 64 * 64; }
static void prepare(long size) {
  length = (size_t)size < share() ? (size_t)size : share();
  wrong = 0;
  block_begin(length);
  block_fill(local_block);
  memset(window_block, 0, block_bytes);
  window_refresh();
  MPI_Barrier(MPI_COMM_WORLD);
}

// ---- RMA

static void put(long i, int rank, size_t to) {
  block_stamp(local_block, i);
  MPI_Put(local_block, (int)length, MPI_BYTE, rank, (MPI_Aint)to, (int)length, MPI_BYTE, window);
}
static void fan_in(long first, long count) {
  for (long i = first + 1; bench_me != 0 && i <= first + count; ++i) {
    put(i, 0, (size_t)bench_me * share());
    MPI_Win_flush(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // process 0 takes the time
}
static bool all_came(long first, long count) {
  bool ok = true;
  window_refresh();
  for (int rank = 1; bench_me == 0 && rank < bench_pes; ++rank)
    ok &= block_arrived(window_block + (size_t)rank * share(), first + count);
  return ok;
}
static void fan_out(long first, long count) {
  for (long i = first + 1; bench_me == 0 && i <= first + count; ++i) {
    for (int rank = 1; rank < bench_pes; ++rank) put(i, rank, 0);
    MPI_Win_flush_all(window);
  }
}
static bool came(long first, long count) {
  window_refresh();
  return bench_me == 0 || block_arrived(window_block, first + count);
}

// ---- messages

static void send(long i, int rank, MPI_Request* request) {
  block_stamp(local_block, i);
  MPI_Isend(local_block, (int)length, MPI_BYTE, rank, tag, MPI_COMM_WORLD, request);
}
static void receive(int rank, size_t to, MPI_Request* request) {
  MPI_Irecv(window_block + to, (int)length, MPI_BYTE, rank, tag, MPI_COMM_WORLD, request);
}
static void fan_in_two_sided(long first, long count) {
  MPI_Request request[page_max_pes];
  for (long i = first + 1; i <= first + count; ++i) {
    int n = 0;
    if (bench_me != 0) send(i, 0, &request[n++]);
    for (int rank = 1; bench_me == 0 && rank < bench_pes; ++rank) receive(rank, (size_t)rank * share(), &request[n++]);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    for (int rank = 1; bench_me == 0 && rank < bench_pes; ++rank)
      wrong += !block_arrived(window_block + (size_t)rank * share(), i);
  }
}
static void fan_out_two_sided(long first, long count) {
  MPI_Request request[page_max_pes];
  for (long i = first + 1; i <= first + count; ++i) {
    int n = 0;
    if (bench_me != 0) receive(0, 0, &request[n++]);
    for (int rank = 1; bench_me == 0 && rank < bench_pes; ++rank) send(i, rank, &request[n++]);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    wrong += bench_me != 0 && !block_arrived(window_block, i);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // a small message counts as sent before it arrives
}
static bool all_received(long first, long count) { return wrong == 0 && all_came(first, count); }
static bool received(long first, long count) { return wrong == 0 && came(first, count); }

static const long sizes[] = {64 << 10, 8, 512, 4 << 10, 1 << 20, 0};
enum { helped = bench_everyone | bench_assisted | bench_bytewise, all = bench_everyone | bench_bytewise };

static const bench_case cases[] = {
    {"fan_in", "Put, flush; all to process 0", reference_copy_out, prepare, fan_in, all_came, helped, sizes},
    {"fan_out", "Put, flush_all; process 0 to all", reference_copy_out, prepare, fan_out, came, helped, sizes},
    {"fan_in.two_sided", "Isend, Irecv; all to process 0", reference_copy_out, prepare, fan_in_two_sided, all_received,
     all, sizes},
    {"fan_out.two_sided", "Isend, Irecv; process 0 to all", reference_copy_out, prepare, fan_out_two_sided, received,
     all, sizes},
    {0}};

BENCH_CASES(bench_two_pes, cases)
