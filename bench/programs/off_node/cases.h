// The cases of `oshbench run off-node` that OpenSHMEM and MPI share. Process 0 moves bytes to the first process of the
// other half, which is on the second host; all others are in a barrier meanwhile. Messages also go between all hosts.
#pragma once
#include "messages.h"

static size_t room_for(int size) { return (size_t)(size < 4 ? 4 : size) << 20; }

// ---- the atomic

static const long first_count = 0x0102030405060708;  // every byte of a counter matters

static long (*fetch)(void);
static long wrong_counts;
static void count_once(size_t bytes, long number) {
  (void)bytes;
  wrong_counts += fetch() != first_count + number - 1;
}

static void measure_fetch_add(const world* w) {
  fetch = w->fetch_add;
  if (w->me == 0) {
    tell("fetch_add", 8, time_batches(count_once, 8));
    demand(wrong_counts == 0 && w->counted() == first_count + timed_operations(8), "fetch_add", 8);
  }
  w->meet();
}

// ---- a flag that a process waits for

static const world* flagged;
static long wrong_flags;
static void flag_there_and_back(size_t bytes, long number) {
  (void)bytes;
  const long value = first_count + number;
  if (flagged->me == 0) flagged->raise(value);
  wrong_flags += flagged->await(value) != value;
  if (flagged->me != 0) flagged->raise(value);
}

static void measure_flag(const world* w) {
  flagged = w;
  w->meet();
  const double us = time_batches(flag_there_and_back, 8) / 2;
  if (w->me == 0) tell("flag", 8, us);
  demand(wrong_flags == 0, "flag", 8);
  w->meet();
}

// ---- puts to a process that computes

enum { single_puts = 30 };

// Times `n` single operations to a process that computes, spread over a second.
static void time_single(void (*operation)(size_t bytes, long number), const char* name, int n) {
  double all[64];
  for (int i = 0; i < n; ++i) {
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    const double began = now_us();
    operation(8, i + 1);
    all[i] = now_us() - began;
  }
  tell(name, 8, median(all, n));
}

static void measure_computing(const world* w) {
  before_put(w, 8, single_puts);
  if (w->me == 0)
    time_single(w->put, "put_computing", single_puts);
  else
    compute_as(w, 1.0);
  after_put(w, "put_computing", 8);
  put_in_full(w, "put_computing", 8, 0.05);
}

// ---- collectives

typedef enum { from_root, summed, from_each, to_each } shape;

typedef struct {
  const char* name;
  shape moves;
  operation* call;
} collective;

// Blocks for the same process, and blocks of one process, differ in every byte; with 16 processes all blocks do.
static long block_number(const world* w, int pe, int block, long number) {
  return number * 101 + (long)pe * (w->size | 1) + block;
}

// Terms whose sum has other bytes everywhere; they wrap.
static void write_terms(void* to, size_t bytes, unsigned long factor, long number) {
  unsigned long* const terms = to;
  for (size_t e = 0; e < bytes / sizeof *terms; ++e) terms[e] = factor * (e + (unsigned long)number + 1) * 0x100000011;
}

static void contribute(const world* w, const collective* c, size_t bytes, long number) {
  if (c->moves == summed) {
    write_terms(w->source, bytes, (unsigned long)w->me + 1, number);
    return;
  }
  for (int b = 0; b < w->size; ++b)
    pattern_write(w->source + (size_t)b * bytes, bytes, block_number(w, w->me, b, number));
}

// The size of the result.
static size_t expect_result(const world* w, const collective* c, size_t bytes, long number) {
  const unsigned long size = (unsigned long)w->size;
  switch (c->moves) {
    case summed: write_terms(expected, bytes, size * (size + 1) / 2, number); return bytes;
    case from_root: pattern_write(expected, bytes, block_number(w, 0, 0, number)); return bytes;
    default:
      for (int pe = 0; pe < w->size; ++pe)
        pattern_write(expected + (size_t)pe * bytes, bytes,
                      block_number(w, pe, c->moves == to_each ? w->me : 0, number));
      return size * bytes;
  }
}

static size_t before_collective(const world* w, const collective* c, size_t bytes, long number) {
  contribute(w, c, bytes, number);
  const size_t whole = expect_result(w, c, bytes, number);
  spoil(w->target, whole);
  w->meet();
  return whole;
}

static void after_collective(const world* w, const collective* c, size_t bytes, size_t whole) {
  const int is_root = w->me == 0 && c->moves == from_root;
  check(is_root ? w->result_of_root : w->target, c->name, bytes, whole);
}

static void measure_collective(const world* w, const collective* c, size_t bytes) {
  const size_t whole = before_collective(w, c, bytes, 0);
  const double us = time_batches(c->call, bytes);
  if (w->me == 0) tell(c->name, bytes, us);
  after_collective(w, c, bytes, whole);
  for (long number = 1; number <= full_operations; ++number) {
    before_collective(w, c, bytes, number);
    c->call(bytes, number);
    after_collective(w, c, bytes, whole);
  }
  w->meet();
}

static void measure_collectives(const world* w) {
  const collective all[] = {{"broadcast", from_root, w->broadcast},
                            {"sum", summed, w->sum},
                            {"fcollect", from_each, w->fcollect},
                            {"alltoall", to_each, w->alltoall}};
  const double us = time_batches(w->barrier, 8);
  if (w->me == 0) tell("barrier", 0, us);
  for (size_t i = 0; w->broadcast != NULL && i < COUNT(collective_sizes); ++i)
    for (size_t c = 0; c < COUNT(all); ++c)
      if (all[c].call != NULL) measure_collective(w, &all[c], collective_sizes[i]);
}

// Whether the driver gave this word to the program.
static int is_given(int argc, char** argv, const char* word) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], word) == 0) return 1;
  return 0;
}

static void measure_calls(const world* w) {
  if (w->size == 2) {
    measure_moves(w);
    measure_fetch_add(w);
    if (w->raise != NULL) measure_flag(w);
  }
  if (w->barrier != NULL) measure_collectives(w);
}

// The status of the process. The counter of each process begins at first_count.
static int measure_all(const world* w, int only_messages) {
  expect_up_to(room_for(w->size));
  memset(w->source, 0, room_for(w->size));
  memset(w->target, 0, room_for(w->size));
  w->meet();
  if (!only_messages) measure_calls(w);
  if (only_messages || w->size == 2) measure_messages(w);
  // Last: the hosts share CPUs, so it is foreign load for the other process, and libraries remember that for a while.
  if (!only_messages && w->size == 2 && w->barrier != NULL) measure_computing(w);
  return ending;
}
