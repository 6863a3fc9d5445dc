// Making and freeing teams, and collectives on parts of the PEs: both halves at once, one half alone, every other PE.
#include <stdint.h>
#include <string.h>

#include "cases.h"

#if BENCH_HAS_TEAMS
enum { most = 1 << 14 };  // longs of a PE's block

typedef enum { halves, one_half, odds_and_evens, rows_of_two } part;

static shmem_team_t team = SHMEM_TEAM_INVALID;
static int members, my_rank;
static long elements, wrong;
static long *source, *dest;

static void take(shmem_team_t mine) {
  team = mine;
  members = team == SHMEM_TEAM_INVALID ? 0 : shmem_team_n_pes(team);
  my_rank = team == SHMEM_TEAM_INVALID ? -1 : shmem_team_my_pe(team);
}

static void split_rows(void) {
  shmem_team_t row = SHMEM_TEAM_INVALID, column = SHMEM_TEAM_INVALID;
  shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column);
  if (column != SHMEM_TEAM_INVALID) shmem_team_destroy(column);
  take(row);
}

static void split(part which) {
  const int half = bench_pes / 2 > 0 ? bench_pes / 2 : 1;
  shmem_team_t first = SHMEM_TEAM_INVALID, second = SHMEM_TEAM_INVALID;
  const int stride = which == odds_and_evens ? 2 : 1;
  const int begin = which == odds_and_evens ? 1 : half;
  const int size = which == odds_and_evens ? (bench_pes + 1) / 2 : half;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, stride, size, NULL, 0, &first);
  if (which != one_half && bench_pes > 1)
    shmem_team_split_strided(SHMEM_TEAM_WORLD, begin, stride, bench_pes - size, NULL, 0, &second);
  take(first != SHMEM_TEAM_INVALID ? first : second);
}

// Collective. Frees the team of the previous case first.
static void prepare(part which, long size) {
  static bool allocated;
  if (team != SHMEM_TEAM_INVALID) shmem_team_destroy(team);
  team = SHMEM_TEAM_INVALID;
  if (!allocated) {
    source = shmem_align(4096, most * sizeof(long));
    dest = shmem_align(4096, 2 * most * sizeof(long));
    allocated = true;
  }
  if (source == NULL || dest == NULL) shmem_global_exit(2);
  elements = size / 8 < most ? size / 8 : most;
  wrong = 0;
  shmem_barrier_all();
  if (which == rows_of_two)
    split_rows();
  else
    split(which);
  shmem_barrier_all();
}
static void in_halves(long size) { prepare(halves, size); }
static void in_one_half(long size) { prepare(one_half, size); }
static void every_other(long size) { prepare(odds_and_evens, size); }
static void in_rows(long size) { prepare(rows_of_two, size); }

// Timed operations fill and check the first and the last element; the operation of right_in_full() fills and checks
// all.
static bool in_full;
static void (*body)(long first, long count);  // of the present case
static void fill(long n, long value) {
  source[0] = source[n - 1] = value;
  for (long e = 1; in_full && e < n - 1; ++e) source[e] = value + 17 * e;
}
static void expect(const long* block, long n, long value, long terms) {
  wrong += (block[0] != value) + (block[n - 1] != value);
  for (long e = 1; in_full && e < n - 1; ++e) wrong += block[e] != value + 17 * e * terms;
}

static void sum(long first, long count) {
  body = sum;
  for (long i = first + 1; team != SHMEM_TEAM_INVALID && i <= first + count; ++i) {
    long* const to = dest + i % 2 * most;
    fill(elements, i * (my_rank + 1));
    shmem_long_sum_reduce(team, to, source, (size_t)elements);
    expect(to, elements, i * members * (members + 1) / 2, members);
  }
}
static void fcollect(long first, long count) {
  body = fcollect;
  const long share = elements / (members > 0 ? members : 1) > 0 ? elements / (members > 0 ? members : 1) : 1;
  for (long i = first + 1; team != SHMEM_TEAM_INVALID && i <= first + count; ++i) {
    long* const to = dest + i % 2 * most;
    fill(share, i * (my_rank + 1));
    shmem_long_fcollect(team, to, source, (size_t)share);
    for (long m = 0; m < members; ++m) expect(to + m * share, share, i * (m + 1), 1);
  }
}

// A member may be ahead by one sync. Every member writes its arrival to the page.
static void sync(long first, long count) {
  for (long i = first + 1; team != SHMEM_TEAM_INVALID && i <= first + count; ++i) {
    page_set(&page->progress[bench_me], (uint64_t)i);
    shmem_team_sync(team);
    for (int m = 0; i % 64 == 0 && m < members; ++m) {
      const int pe = shmem_team_translate_pe(team, m, SHMEM_TEAM_WORLD);
      wrong += page_get(&page->progress[pe]) < (uint64_t)i;
    }
  }
}
static void sync_in_halves(long size) {
  page_set(&page->progress[bench_me], 0);
  prepare(halves, size);
}
static void sync_every_other(long size) {
  page_set(&page->progress[bench_me], 0);
  prepare(odds_and_evens, size);
}

static void sync_in_rows(long size) {
  page_set(&page->progress[bench_me], 0);
  prepare(rows_of_two, size);
}

static bool right(long first, long count) {
  (void)first;
  return count > 0 && wrong == 0;
}
static bool right_in_full(long first, long count) {
  memset(dest, 0x5a, 2 * most * sizeof(long));
  bench_barrier();
  in_full = true;
  body(first + count, 1);
  in_full = false;
  return right(first, count);
}

// ---- making and freeing

static void nothing(long size) {
  (void)size;
  wrong = 0;
}
static void split_strided(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    shmem_team_t made = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, bench_pes, NULL, 0, &made);
    wrong += made == SHMEM_TEAM_INVALID || shmem_team_n_pes(made) != bench_pes;
    shmem_team_destroy(made);
  }
}
static void split_2d(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    shmem_team_t row = SHMEM_TEAM_INVALID, column = SHMEM_TEAM_INVALID;
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column);
    wrong += row == SHMEM_TEAM_INVALID || column == SHMEM_TEAM_INVALID;
    shmem_team_destroy(row);
    shmem_team_destroy(column);
  }
}

static const long sizes[] = {8, 4 << 10, 64 << 10, 0};

BENCH_KINDS = {{"team.*", "manage", "making and freeing teams", .completion = "remote"}};

static const bench_case cases[] = {
    {"team.split_strided", "team_split_strided of all, team_destroy", 0, nothing, split_strided, right, bench_everyone,
     NULL},
    {"team.split_2d", "team_split_2d, team_destroy of both", 0, nothing, split_2d, right, bench_everyone, NULL},
    {"sync_all.halves", "team_sync, both halves at once", 0, sync_in_halves, sync, right, bench_everyone, NULL},
    {"sync_all.every_other", "team_sync, odd and even PEs at once", 0, sync_every_other, sync, right, bench_everyone,
     NULL},
    {"sync_all.rows", "team_sync, rows of two of a 2-D split at once", 0, sync_in_rows, sync, right, bench_everyone,
     NULL},
    {"sum.halves", "long_sum_reduce, both halves at once", 0, in_halves, sum, right_in_full, bench_everyone, sizes},
    {"sum.one_half", "long_sum_reduce, half of the PEs", 0, in_one_half, sum, right_in_full, bench_everyone, sizes},
    {"sum.every_other", "long_sum_reduce, odd and even PEs at once", 0, every_other, sum, right_in_full, bench_everyone,
     sizes},
    {"sum.rows", "long_sum_reduce, rows of two of a 2-D split at once", 0, in_rows, sum, right_in_full, bench_everyone,
     sizes},
    {"fcollect.halves", "long_fcollect, both halves at once", 0, in_halves, fcollect, right_in_full, bench_everyone,
     sizes},
    {"fcollect.every_other", "long_fcollect, odd and even PEs at once", 0, every_other, fcollect, right_in_full,
     bench_everyone, sizes},
    {0}};

BENCH_CASES(bench_any_pes, cases)
#endif

// Fault: team_sync does not wait.
// Noticed by: sync_all.halves, sync_all.rows (on 4 PEs)
#ifdef BENCH_FAULT
int shmem_team_sync(shmem_team_t t) { return 0; }
#endif

// Fault: a reduction on a team is that of one PE.
// Noticed by: sum.one_half, sum.rows, sum, sum_in_place (on 4 PEs)
#ifdef BENCH_FAULT
int shmem_long_sum_reduce(shmem_team_t t, long* d, const long* s, size_t n) {
  memmove(d, s, n * sizeof *d);
  return 0;
}
#endif
