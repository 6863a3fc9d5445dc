// Writes to a PE that waits inside the library or computes: neither may slow the writer. Batches are long, because a PE
// may change its way of waiting after a while (ours sleeps).
#include <string.h>

#include "block.h"
#include "cases.h"

// Symmetric flags that end the wait; the operations write elsewhere.
static long* wake_word(void) { return &target[target_words - 8]; }
static uint64_t* wake_signal(void) { return (uint64_t*)(void*)&target[target_words - 16]; }
static unsigned char* place(void) { return remote_block + 8192; }

static size_t length;
static void (*rest)(long until);  // the activity of all processes but process 0
static long fetched, expected_sum;

// ---- activities, until process 0 ends them

static void in_barrier(long until) {
  (void)until;  // the barrier that ends every batch
}
static void in_wait(long until) { shmem_long_wait_until(wake_word(), SHMEM_CMP_GE, until); }
static void in_signal_wait(long until) {
#if BENCH_HAS_1_5
  shmem_signal_wait_until(wake_signal(), SHMEM_CMP_GE, (uint64_t)until);
#else
  in_wait(until);
#endif
}
static void computing(long until) {
  const volatile long* word = wake_word();
  while (*word < until)
    for (volatile int i = 0; i < 1000; ++i) {
    }
}

static void end_rest(long until) {
  for (int pe = 1; pe < bench_pes; ++pe) {
    shmem_long_p(wake_word(), until, pe);
#if BENCH_HAS_1_5
    shmem_uint64_atomic_set(wake_signal(), (uint64_t)until, pe);
#endif
  }
}

// ---- process 0

static void put_to_resting(long first, long count) {
  if (bench_me == 0) {
    for (long i = first + 1; i <= first + count; ++i) {
      block_stamp(local_block, i);
      shmem_putmem(place(), local_block, length, next_pe);
    }
    shmem_quiet();
    end_rest(first + count);
  } else {
    rest(first + count);
  }
  shmem_barrier_all();
}

static void add_to_resting(long first, long count) {
  if (bench_me == 0) {
    long sum = 0;
    for (long i = 0; i < count; ++i) sum += shmem_long_atomic_fetch_add(&target[0], 1, next_pe);
    fetched = sum;
    expected_sum = count * first + count * (count - 1) / 2;
    end_rest(first + count);
  } else {
    rest(first + count);
  }
  shmem_barrier_all();
}

static void prepare(long size, void (*way)(long)) {
  rest = way;
  length = (size_t)size;
  memset(remote_block, 0, 8192 + length);
  block_begin(length);
  if (bench_me == 0) block_fill(local_block);
}
static void prepare_barrier(long size) { prepare(size, in_barrier); }
static void prepare_wait(long size) { prepare(size, in_wait); }
static void prepare_signal_wait(long size) { prepare(size, in_signal_wait); }
static void prepare_computing(long size) { prepare(size, computing); }

static bool arrived(long first, long count) {
  return bench_me != 1 % bench_pes || block_arrived(place(), first + count);
}
static bool added(long first, long count) {
  if (bench_me == 0 && fetched != expected_sum) return false;
  return bench_me != 1 % bench_pes || target[0] == first + count;
}

static const long sizes[] = {4 << 10, 64, 64 << 10, 1 << 20, 0};
static const long one_word[] = {8, 0};
enum { together = bench_everyone | bench_lasting };

BENCH_KINDS = {{"put_to_*", "sync", "put to a PE that waits or computes (progress)", .streams = 1},
               {"add_to_*", "sync", "atomic on a PE that waits or computes (progress)", .completion = "remote"}};

static const bench_case cases[] = {
    {"put_to_barrier", "putmem to a PE in barrier_all", reference_copy_out, prepare_barrier, put_to_resting, arrived,
     together, sizes},
    {"put_to_wait", "putmem to a PE in wait_until", reference_copy_out, prepare_wait, put_to_resting, arrived, together,
     sizes},
    {"put_to_signal_wait", "putmem to a PE in signal_wait_until", reference_copy_out, prepare_signal_wait,
     put_to_resting, arrived, together, sizes},
    {"put_to_computing", "putmem to a PE that computes", reference_copy_out, prepare_computing, put_to_resting, arrived,
     together, sizes},
    {"add_to_barrier", "fetch_add on a PE in barrier_all", 0, prepare_barrier, add_to_resting, added, together,
     one_word},
    {"add_to_wait", "fetch_add on a PE in wait_until", 0, prepare_wait, add_to_resting, added, together, one_word},
    {"add_to_signal_wait", "fetch_add on a PE in signal_wait_until", 0, prepare_signal_wait, add_to_resting, added,
     together, one_word},
    {"add_to_computing", "fetch_add on a PE that computes", 0, prepare_computing, add_to_resting, added, together,
     one_word},
    {0}};

BENCH_CASES(bench_two_pes, cases)
