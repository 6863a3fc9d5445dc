// One 64-bit object by Fetch_and_op, Compare_and_swap and Accumulate, under the names of ../micro/amo.c. Target
// `private`: process 0 alone, on 512 objects in turn; `same`: on one object.
#include <string.h>

#include "cases.h"

typedef unsigned long u64;

static u64 model[target_words], fetched, expected;
static long words;
static const char* operation;  // from the name of the case

static bool is(const char* name) {
  return strncmp(operation, name, strlen(name)) == 0 && operation[strlen(name)] == '.';
}

static void prepare(long size) {
  (void)size;
  operation = strchr(bench_current->name, '.') + 1;
  words = strstr(operation, ".private") != NULL ? target_words : 1;
  memset(model, 0, sizeof model);
  memset(target, 0, target_words * sizeof *target);
  window_refresh();
}

static MPI_Aint at(long i) { return (i % words) * (MPI_Aint)sizeof(u64); }

#define BODY(name, statement)                           \
  static void name(long first, long count) {            \
    u64 sum = 0, old = 0;                               \
    for (long i = first + 1; i <= first + count; ++i) { \
      const u64 with = (u64)i;                          \
      statement;                                        \
      sum += old;                                       \
    }                                                   \
    MPI_Win_flush(next_rank, window);                   \
    fetched = sum;                                      \
  }
#define FETCH(op)                                                                 \
  MPI_Fetch_and_op(&with, &old, MPI_UNSIGNED_LONG, next_rank, at(i), op, window); \
  MPI_Win_flush(next_rank, window)

BODY(fetch_add, FETCH(MPI_SUM))
BODY(fetch_xor, FETCH(MPI_BXOR))
BODY(swap, FETCH(MPI_REPLACE))
BODY(fetch, FETCH(MPI_NO_OP))
BODY(add, MPI_Accumulate(&with, 1, MPI_UNSIGNED_LONG, next_rank, at(i), 1, MPI_UNSIGNED_LONG, MPI_SUM, window);
     MPI_Win_flush_local(next_rank, window))
BODY(compare_swap, const u64 seen = i > words ? (u64)(i - words) : 0;
     MPI_Compare_and_swap(&with, &seen, &old, MPI_UNSIGNED_LONG, next_rank, at(i), window);
     MPI_Win_flush(next_rank, window))

static u64 after(u64 old, long i) {
  return is("fetch_add") || is("add") ? old + (u64)i : is("fetch_xor") ? old ^ (u64)i : is("fetch") ? old : (u64)i;
}

static bool valid(long first, long count) {
  expected = 0;
  for (long i = first + 1; i <= first + count; ++i) {
    expected += model[i % words];
    model[i % words] = after(model[i % words], i);
  }
  if (bench_me == 0 && !is("add") && fetched != expected) return false;
  window_refresh();
  return bench_me != 1 % bench_pes || memcmp(target, model, (size_t)words * sizeof *model) == 0;
}

#define ROWS(name, how, reference)                                                                   \
  {"amo." #name ".64.private", how, reference, prepare, name, valid, bench_assisted, eight_bytes}, { \
    "amo." #name ".64.same", how, reference, prepare, name, valid, bench_assisted, eight_bytes       \
  }

static const bench_case cases[] = {ROWS(fetch_add, "Fetch_and_op SUM", reference_xadd),
                                   ROWS(fetch_xor, "Fetch_and_op BXOR", reference_xadd),
                                   ROWS(swap, "Fetch_and_op REPLACE", reference_xadd),
                                   ROWS(fetch, "Fetch_and_op NO_OP", reference_load),
                                   ROWS(add, "Accumulate SUM", reference_xadd),
                                   ROWS(compare_swap, "Compare_and_swap", reference_xadd),
                                   {0}};

BENCH_CASES(bench_two_pes, cases)
