// Small operations of a session: they arrive without a quiet, keep the order of fences, are complete after a quiet, and
// end with the library. A quiet also completes the values of gets and of fetching atomics. Where a PE is on another
// node, they travel packed.
// @since 1.6
// @races a PE waits by plain loads
#include <sched.h>

#define STATIC_ARENA_BYTES 4096
#include "symmetric.h"

enum { adds = 1000, block_bytes = 300, chain = 200, wide_words = 40, fetches = 1500, guard = 0xa5 };

static long counters[8];
static int narrow[2];
static unsigned char bytes[block_bytes + 64];
static long data[chain][wide_words], flags[chain];
static uint64_t arrived;
static long own_number;

static int right_of(int pe) { return (pe + 1) % shmem_n_pes(); }
static int left_of(int pe) { return (pe + shmem_n_pes() - 1) % shmem_n_pes(); }

// All PEs change the same objects of PE 0, some of them near and some far.
static void check_atomics(shmem_ctx_t ctx) {
  const long n = shmem_n_pes(), me = shmem_my_pe();
  for (int i = 0; i < adds; i++) {
    shmem_ctx_long_atomic_add(ctx, &counters[0], i, 0);
    shmem_ctx_long_atomic_inc(ctx, &counters[1], 0);
    shmem_ctx_int_atomic_add(ctx, &narrow[0], 3, 0);
  }
  shmem_ctx_ulong_atomic_or(ctx, (unsigned long*)&counters[2], 1ul << me % 60, 0);
  shmem_ctx_long_atomic_set(ctx, &counters[4 + me % 4], me, 0);
  CHECK(shmem_ctx_long_atomic_fetch(ctx, &counters[1], 0) >= 0, "fetch in a session");
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  if (me == 0) {
    CHECK(counters[0] == n * adds * (adds - 1) / 2, "add: %ld", counters[0]);
    CHECK(counters[1] == n * adds, "inc: %ld", counters[1]);
    CHECK(narrow[0] == 3 * n * adds, "add of 4 bytes: %d", narrow[0]);
    CHECK(narrow[1] == 0, "the neighbour of a narrow object: %d", narrow[1]);
    for (int i = 0; i < (n < 4 ? n : 4); i++) CHECK(counters[4 + i] % 4 == i, "set: %ld", counters[4 + i]);
    for (int i = 0; i < 8; i++) counters[i] = 0;
    narrow[0] = 0;
  }
  shmem_barrier_all();
}

// Additions around the values that need no operand, of both widths, to all PEs and from all of them. The neighbour of a
// narrow object keeps its value. `first` is the number of the first PE of the context's team.
static void check_additions(shmem_ctx_t ctx, int kind, int first, int n) {
  static const long values[] = {0, 1, -1, 1023, 1024, -1024, -1025, 2047, -2048, 65536, INT32_MAX, INT32_MIN};
  enum { n_values = sizeof values / sizeof *values };
  long* const wide = memory_take(kind, n_values * sizeof(long));
  int* const pairs = memory_take(kind, 2 * n_values * sizeof(int));
  for (int i = 0; i < n_values; i++) wide[i] = pairs[2 * i] = 0, pairs[2 * i + 1] = guard;
  shmem_barrier_all();
  for (int pe = 0; pe < n && shmem_my_pe() >= first; pe++)
    for (int round = 0; round < 3; round++)
      for (int i = 0; i < n_values; i++) {
        shmem_ctx_long_atomic_add(ctx, &wide[i], values[i], pe);
        shmem_ctx_int_atomic_add(ctx, &pairs[2 * i], (int)values[i], pe);
      }
  if (shmem_my_pe() >= first) shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  for (int i = 0; i < n_values && shmem_my_pe() >= first; i++) {
    const unsigned narrow_sum = (unsigned)values[i] * 3u * (unsigned)n;
    CHECK(wide[i] == 3 * n * values[i], "%s: %ld added to %ld", memory_name(kind), values[i], wide[i]);
    CHECK((unsigned)pairs[2 * i] == narrow_sum, "%s: %ld added to %d", memory_name(kind), values[i], pairs[2 * i]);
    CHECK(pairs[2 * i + 1] == guard, "%s: the neighbour is %d", memory_name(kind), pairs[2 * i + 1]);
  }
  shmem_barrier_all();
  memory_give_back(kind, pairs);
  memory_give_back(kind, wide);
}

// The PEs of this team have other numbers than in the job.
static void check_team(void) {
  const int n = shmem_n_pes() - 1;
  shmem_team_t team = SHMEM_TEAM_INVALID;
  shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
  if (n == 0) return;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 1, n, NULL, 0, &team);
  if (shmem_my_pe() > 0) {
    CHECK(shmem_team_create_ctx(team, 0, &ctx) == 0, "no context on a team");
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  }
  for (int kind = 0; kind < MEMORY_KINDS; kind++) check_additions(ctx, kind, 1, n);
  if (shmem_my_pe() == 0) return;
  long got[2] = {-1, -1};
  for (int i = 0; i < 2; i++) shmem_ctx_long_get_nbi(ctx, &got[i], &own_number, 1, n - 1);
  shmem_ctx_quiet(ctx);
  CHECK(got[0] == n && got[1] == n, "gets on a team: %ld and %ld", got[0], got[1]);
  shmem_ctx_session_stop(ctx);
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(team);
}

// Every length around the longest one that is packed. The source is overwritten at once.
static void check_lengths(shmem_ctx_t ctx) {
  const int me = shmem_my_pe();
  unsigned char source[block_bytes];
  for (int n = 1; n <= block_bytes; n += n < 20 || (n > 250 && n < 262) ? 1 : 10) {
    for (int i = 0; i < n; i++) source[i] = (unsigned char)(me + n + 5 * i);
    shmem_ctx_putmem(ctx, bytes + 1, source, (size_t)n, right_of(me));
    for (int i = 0; i < n; i++) source[i] = 0;
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    for (int i = 0; i < n; i++) CHECK(bytes[1 + i] == (unsigned char)(left_of(me) + n + 5 * i), "byte %d of %d", i, n);
    shmem_barrier_all();
  }
}

// A flag is behind its data. Data of one word is packed, and that of odd rounds is too long.
static void check_fences(shmem_ctx_t ctx, int round) {
  const int me = shmem_my_pe();
  long source[wide_words];
  for (int i = 0; i < chain; i++) {
    const size_t words = i % 2 != 0 ? wide_words : 1;
    for (size_t j = 0; j < words; j++) source[j] = 1000 * round + i;
    shmem_ctx_long_put(ctx, data[i], source, words, right_of(me));
    shmem_ctx_fence(ctx);
    shmem_ctx_long_p(ctx, &flags[i], round, right_of(me));
  }
  for (int i = chain - 1; i >= 0; i--) {
    shmem_long_wait_until(&flags[i], SHMEM_CMP_EQ, round);
    const long last = data[i][i % 2 != 0 ? wide_words - 1 : 0];
    CHECK(last == 1000 * round + i, "behind flag %d of round %d: %ld", i, round, last);
  }
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
}

// The signal is seen after its bytes, without a fence or a quiet.
static void check_signals(shmem_ctx_t ctx, uint64_t round) {
  const int me = shmem_my_pe();
  unsigned char source[block_bytes];
  for (size_t n = 1; n <= block_bytes; n += 23) {
    for (size_t i = 0; i < n; i++) source[i] = (unsigned char)(round + n + i);
    shmem_ctx_putmem_signal(ctx, bytes, source, n, &arrived, 1, SHMEM_SIGNAL_ADD, right_of(me));
    shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 1);
    for (size_t i = 0; i < n; i++) CHECK(bytes[i] == (unsigned char)(round + n + i), "byte %zu of %zu", i, n);
    arrived = 0;
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
  }
}

// Gets of every length around the longest one that is packed are in progress together.
static void check_gets(shmem_ctx_t ctx, int kind) {
  static unsigned char to[block_bytes + 1][block_bytes + 2];
  const int me = shmem_my_pe(), from = right_of(me);
  unsigned char* const source = memory_take(kind, block_bytes + 8);
  for (int i = 0; i < block_bytes + 8; i++) source[i] = (unsigned char)(11 * me + 3 * i);
  memset(to, guard, sizeof to);
  shmem_barrier_all();
  for (int n = 1; n <= block_bytes; n++) shmem_ctx_getmem_nbi(ctx, to[n] + 1, source + n % 8, (size_t)n, from);
  shmem_ctx_quiet(ctx);
  for (int n = 1; n <= block_bytes; n++) {
    CHECK(to[n][0] == guard && to[n][n + 1] == guard, "%s: around a get of %d bytes", memory_name(kind), n);
    for (int i = 0; i < n; i++)
      CHECK(to[n][1 + i] == (unsigned char)(11 * from + 3 * (n % 8 + i)), "%s: byte %d of %d", memory_name(kind), i, n);
  }
  memory_give_back(kind, source);
}

// A get brings what was put before the last quiet. Blocking gets in between bring the same.
static void check_put_then_get(shmem_ctx_t ctx, long round) {
  const int right = right_of(shmem_my_pe());
  long got[chain];
  for (int i = 0; i < chain; i++) {
    shmem_ctx_long_p(ctx, data[i], 7 * round + i, right);
    shmem_ctx_quiet(ctx);
    shmem_ctx_long_get_nbi(ctx, &got[i], data[i], 1, right);
    if (i % 10 == 0) CHECK(shmem_ctx_long_g(ctx, data[i], right) == 7 * round + i, "blocking get %d", i);
  }
  shmem_ctx_quiet(ctx);
  for (int i = 0; i < chain; i++) CHECK(got[i] == 7 * round + i, "get %d of round %ld: %ld", i, round, got[i]);
  shmem_barrier_all();
}

// The old values of all PEs show that each addition was done once. One compare-and-swap of all PEs finds 0.
static void check_fetches(shmem_ctx_t ctx) {
  static long old[fetches], winner, sums[3], totals[3];
  static int narrow_old[fetches];
  const long all = (long)fetches * shmem_n_pes();
  for (int i = 0; i < fetches; i++) {
    shmem_ctx_long_atomic_fetch_inc_nbi(ctx, &old[i], &counters[0], 0);
    shmem_ctx_int_atomic_fetch_add_nbi(ctx, &narrow_old[i], &narrow[0], 2, 0);
    if (i == fetches / 2) shmem_ctx_long_atomic_compare_swap_nbi(ctx, &winner, &counters[1], 0, shmem_my_pe() + 1, 0);
  }
  shmem_ctx_quiet(ctx);
  for (int k = 0; k < 2; k++) sums[k] = 0;
  for (int i = 0; i < fetches; i++) sums[0] += old[i], sums[1] += narrow_old[i];
  sums[2] = winner == 0;
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, totals, sums, 3);
  CHECK(totals[0] == all * (all - 1) / 2, "the old values add up to %ld", totals[0]);
  CHECK(totals[1] == all * (all - 1), "the old values of 4 bytes add up to %ld", totals[1]);
  CHECK(totals[2] == 1, "%ld compare-and-swaps found 0", totals[2]);
  if (shmem_my_pe() == 0) counters[0] = counters[1] = narrow[0] = 0;
  shmem_barrier_all();
}

// Plain loads of a PE that calls nothing see the operation of a PE that calls nothing either.
static void check_spinning(shmem_ctx_t ctx, long round) {
  volatile long* const flag = &counters[3];
  shmem_ctx_long_p(ctx, &counters[3], round, right_of(shmem_my_pe()));
  while (*flag != round) sched_yield();
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
}

static void check_context(shmem_ctx_t ctx, int round) {
  shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  check_atomics(ctx);
  for (int kind = 0; kind < MEMORY_KINDS; kind++) check_additions(ctx, kind, 0, shmem_n_pes());
  check_lengths(ctx);
  check_fences(ctx, round);
  check_signals(ctx, (uint64_t)round);
  for (int kind = 0; kind < MEMORY_KINDS; kind++) check_gets(ctx, kind);
  check_put_then_get(ctx, round);
  check_fetches(ctx);
  check_spinning(ctx, round);
  shmem_ctx_session_stop(ctx);
}

int main(void) {
  shmem_init();
  shmem_ctx_t shared, alone;
  CHECK(shmem_ctx_create(0, &shared) == 0, "no context");
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &alone) == 0, "no private context");
  check_context(SHMEM_CTX_DEFAULT, 1);
  check_context(shared, 2);
  check_context(alone, 3);
  own_number = shmem_my_pe();
  check_team();
  shmem_barrier_all();
  // The end of a context completes its operations.
  shmem_ctx_session_start(alone, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  long got = -1;
  data[0][0] = 50 + shmem_my_pe();
  shmem_barrier_all();
  shmem_ctx_long_atomic_add(alone, &counters[0], 1, right_of(shmem_my_pe()));
  shmem_ctx_long_get_nbi(alone, &got, data[0], 1, right_of(shmem_my_pe()));
  shmem_ctx_destroy(alone);
  CHECK(got == 50 + right_of(shmem_my_pe()), "got by the end of its context: %ld", got);
  shmem_barrier_all();
  CHECK(counters[0] == 1, "after the end of its context: %ld", counters[0]);
  // So does the end of the library, of a session that is still open.
  shmem_ctx_session_start(shared, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  shmem_ctx_long_atomic_add(shared, &counters[1], 1, right_of(shmem_my_pe()));
  shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  shmem_long_atomic_add(&counters[1], 1, right_of(shmem_my_pe()));
  shmem_long_wait_until(&counters[1], SHMEM_CMP_EQ, 2);
  const long expected = 50 + right_of(shmem_my_pe());
  got = -1;
  shmem_long_get_nbi(&got, data[0], 1, right_of(shmem_my_pe()));
  shmem_finalize();
  CHECK(got == expected, "got by the end of the library: %ld", got);
  return 0;
}
