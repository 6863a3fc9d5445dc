// Two-sided: a token round all processes, alone or in pairs, and the barrier.
#include "cases.h"

enum { look_every = 256 };

static long token, wrong, early;

static void clear(long size) {
  (void)size;
  token = wrong = early = 0;
  page_set(&page->progress[bench_me], 0);
}

static void pass(long value, int to) { MPI_Send(&value, 1, MPI_LONG, to, 0, MPI_COMM_WORLD); }
static void take(int from) { MPI_Recv(&token, 1, MPI_LONG, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void ring(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    if (bench_me == 0) pass(i, next_rank);
    take(previous_rank);
    wrong += token != i;
    if (bench_me != 0) pass(token, next_rank);
  }
}

static void pairs(long first, long count) {
  const int half = bench_pes / 2;
  if (bench_me >= 2 * half) {  // no partner
    token = first + count;
    return;
  }
  const bool starts = bench_me < half;
  const int partner = starts ? bench_me + half : bench_me - half;
  for (long i = first + 1; i <= first + count; ++i) {
    if (starts) pass(i, partner);
    take(partner);
    wrong += token != i;
    if (!starts) pass(token, partner);
  }
}

static bool passed(long first, long count) { return wrong == 0 && token == first + count; }

static void barrier(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    const bool looks = i % look_every == 0;
    if (looks) page_set(&page->progress[bench_me], (uint64_t)i);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int rank = 0; looks && rank < bench_pes; ++rank) early += page_get(&page->progress[rank]) < (uint64_t)i;
  }
}

static bool waited(long first, long count) {
  (void)first;
  return count > 0 && early == 0;
}

static const bench_case cases[] = {
    {"p_wait", "Send, Recv", reference_line, clear, ring, passed, bench_ring, eight_bytes},
    {"p_wait_pairs", "Send, Recv, pairs", reference_line, clear, pairs, passed, bench_pairs, eight_bytes},
    {0}};

BENCH_CASES(bench_two_pes, cases)

static const bench_case barriers[] = {
    {"barrier_all", "Barrier", reference_exchange, clear, barrier, waited, bench_everyone, NULL}, {0}};

BENCH_CASES(bench_any_pes, barriers)
