// A contended window: the counterparts of ../micro/locks.c by exclusive locks of MPI.
#include "cases.h"
#include "turns.h"

static MPI_Win counted_window;
static long* counter;  // of process 0, changed under the lock without atomics
static long mine;      // turns of this process in the batch

static void open_window(void) {
  MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &counted_window);
}
static void close_window(void) { MPI_Win_free(&counted_window); }

// One turn: returns the counter and adds one to it, up to `last`.
static long turn(long last) {
  long held = 0;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, counted_window);
  MPI_Get(&held, 1, MPI_LONG, 0, 0, 1, MPI_LONG, counted_window);
  MPI_Win_flush(0, counted_window);
  const long next = held + 1;
  if (held < last) MPI_Put(&next, 1, MPI_LONG, 0, 0, 1, MPI_LONG, counted_window);
  MPI_Win_unlock(0, counted_window);
  return held;
}

static void contended(long first, long count) {
  const long all = (first + count) * bench_pes;
  for (long i = 0; i < count; ++i) turn(all);
}
static bool counted(long first, long count) {
  if (bench_me != 0) return true;
  return turn(0) == (first + count) * bench_pes;
}

static void race(long first, long count) {
  const long until = (first + count) * bench_pes;
  mine = 0;
  while (turn(until) < until) ++mine;
  turns_tell(mine);
}
static bool raced(long first, long count) { return turns_are(count) && counted(first, count); }

static void prepare(long size) {
  (void)size;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, bench_me, 0, counted_window);
  *counter = 0;
  MPI_Win_unlock(bench_me, counted_window);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void prepare_race(long size) {
  prepare(size);
  turns_prepare();
}

enum {
  together = bench_everyone | bench_assisted
};  // process 0 is the target of all and makes progress when it has finished

static const bench_case cases[] = {
    {"lock.contended", "Win_lock exclusive, Get, Put, Win_unlock; all, a turn of each", 0, prepare, contended, counted,
     together, NULL},
    {"lock.race", "the same, in any order", 0, prepare_race, race, raced, together, NULL},
    {0}};

BENCH_CASES(bench_two_pes, cases)
BENCH_AROUND(open_window, close_window)
