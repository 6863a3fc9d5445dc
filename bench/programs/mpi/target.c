// Writes to a process that waits inside the library or computes. Where OpenSHMEM waits for a flag, MPI polls its
// window; where OpenSHMEM waits for a signal, MPI has a receive.
#include <string.h>

#include "block.h"
#include "cases.h"

enum { wake_word = target_words - 8, place = 8192, wake_tag = 77 };

static size_t length;
static void (*rest)(long until);  // the activity of all processes but process 0
static long fetched, expected_sum;

// ---- activities, until process 0 ends them

static void in_barrier(long until) {
  (void)until;  // the barrier that ends every batch
}
static void in_wait(long until) {
  while (((volatile long*)target)[wake_word] < until) {
    int flag = 0;  // some libraries move puts only during calls of the target
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    window_refresh();
  }
}
static void in_receive(long until) {
  long heard = 0;
  while (heard < until) MPI_Recv(&heard, 1, MPI_LONG, 0, wake_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void computing(long until) {
  while (((volatile long*)target)[wake_word] < until)
    for (volatile int i = 0; i < 1000; ++i) {
    }
}

static void end_rest(long until) {
  for (int rank = 1; rank < bench_pes; ++rank) {
    if (rest == in_receive)
      MPI_Send(&until, 1, MPI_LONG, rank, wake_tag, MPI_COMM_WORLD);
    else
      MPI_Put(&until, 1, MPI_LONG, rank, wake_word * (MPI_Aint)sizeof until, 1, MPI_LONG, window);
    MPI_Win_flush(rank, window);
  }
}

// ---- process 0

static void put_to_resting(long first, long count) {
  if (bench_me == 0) {
    for (long i = first + 1; i <= first + count; ++i) {
      block_stamp(local_block, i);
      MPI_Put(local_block, (int)length, MPI_BYTE, next_rank, place, (int)length, MPI_BYTE, window);
      MPI_Win_flush(next_rank, window);
    }
    end_rest(first + count);
  } else {
    rest(first + count);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void add_to_resting(long first, long count) {
  if (bench_me == 0) {
    const long one = 1;
    long sum = 0;
    for (long i = 0; i < count; ++i) {
      long old = 0;
      MPI_Fetch_and_op(&one, &old, MPI_LONG, next_rank, 0, MPI_SUM, window);
      MPI_Win_flush(next_rank, window);
      sum += old;
    }
    fetched = sum;
    expected_sum = count * first + count * (count - 1) / 2;
    end_rest(first + count);
  } else {
    rest(first + count);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void prepare(long size, void (*way)(long)) {
  rest = way;
  length = (size_t)size;
  memset(window_block, 0, place + length);
  window_refresh();
  block_begin(length);
  if (bench_me == 0) block_fill(local_block);
}
static void prepare_barrier(long size) { prepare(size, in_barrier); }
static void prepare_wait(long size) { prepare(size, in_wait); }
static void prepare_receive(long size) { prepare(size, in_receive); }
static void prepare_computing(long size) { prepare(size, computing); }

static bool arrived(long first, long count) {
  window_refresh();
  return bench_me != 1 % bench_pes || block_arrived(window_block + place, first + count);
}
static bool added(long first, long count) {
  window_refresh();
  if (bench_me == 0 && fetched != expected_sum) return false;
  return bench_me != 1 % bench_pes || target[0] == first + count;
}

static const long sizes[] = {4 << 10, 64, 64 << 10, 1 << 20, 0};
enum { together = bench_everyone | bench_lasting };

static const bench_case cases[] = {{"put_to_barrier", "Put + Win_flush to a process in Barrier", reference_copy_out,
                                    prepare_barrier, put_to_resting, arrived, together, sizes},
                                   {"put_to_wait", "Put + Win_flush to a process that looks at its window",
                                    reference_copy_out, prepare_wait, put_to_resting, arrived, together, sizes},
                                   {"put_to_signal_wait", "Put + Win_flush to a process in Recv", reference_copy_out,
                                    prepare_receive, put_to_resting, arrived, together, sizes},
                                   {"put_to_computing", "Put + Win_flush to a process that computes",
                                    reference_copy_out, prepare_computing, put_to_resting, arrived, together, sizes},
                                   {"add_to_barrier", "Fetch_and_op + Win_flush on a process in Barrier", 0,
                                    prepare_barrier, add_to_resting, added, together, eight_bytes},
                                   {"add_to_wait", "Fetch_and_op + Win_flush on a process that looks at its window", 0,
                                    prepare_wait, add_to_resting, added, together, eight_bytes},
                                   {"add_to_signal_wait", "Fetch_and_op + Win_flush on a process in Recv", 0,
                                    prepare_receive, add_to_resting, added, together, eight_bytes},
                                   {"add_to_computing", "Fetch_and_op + Win_flush on a process that computes", 0,
                                    prepare_computing, add_to_resting, added, together, eight_bytes},
                                   {0}};

BENCH_CASES(bench_two_pes, cases)
