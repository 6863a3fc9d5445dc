// Hints of atomics and signals give an object to the network card, if the job has one with atomic operations. PEs of
// the object's node then use the card, too, so no update is lost, whichever calls, contexts and PEs make it. Other
// objects of the heap and static data belong to the CPUs. Locks, fences and signals keep their meaning on both.
// EXPECTS_CARD_HEAP: this job has such a card. A job on one node never has one.
// @extension
// @run SHMEM_SYMMETRIC_SIZE=64M
#include <shmemx.h>

#include "check.h"

enum { rounds = 600, block = 64, both = SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE };

static shmemx_heap_info_t heap(void) {
  shmemx_heap_info_t info;
  CHECK(shmemx_heap_info(&info, sizeof info) == 0, "heap_info");
  CHECK(info.card_used <= info.card_bytes, "%zu of %zu bytes", info.card_used, info.card_bytes);
  return info;
}
static int has_card(void) { return heap().card_bytes != 0; }

static int right_of(int pe) { return (pe + 1) % shmem_n_pes(); }
static int left_of(int pe) { return (pe + shmem_n_pes() - 1) % shmem_n_pes(); }

// Zeroed memory with hints. It belongs to the card if there is one.
static void* take(size_t bytes, long hints) {
  const size_t before = heap().card_used;
  void* const made = shmem_malloc_with_hints(bytes, hints);
  CHECK(made != NULL, "%zu bytes", bytes);
  CHECK((heap().card_used >= before + bytes) == has_card(), "%zu bytes of the card, %zu before", heap().card_used,
        before);
  memset(made, 0, bytes);
  shmem_barrier_all();
  return made;
}

static void give_back(void* made) {
  const size_t before = heap().card_used;
  shmem_free(made);
  CHECK((heap().card_used < before) == has_card(), "%zu bytes of the card, %zu before", heap().card_used, before);
}

// ---- counters -----------------------------------------------------------------------------------------------------

// All kinds of addition. They add 13 in all.
static void add_13(shmem_ctx_t ctx, long* counter, int pe) {
  long old[2];
  shmem_ctx_long_atomic_add(ctx, counter, 1, pe);
  CHECK(shmem_ctx_long_atomic_fetch_add(ctx, counter, 2, pe) >= 0, "a sum below 0");
  shmem_ctx_long_atomic_inc(ctx, counter, pe);
  shmem_ctx_long_atomic_fetch_inc_nbi(ctx, &old[0], counter, pe);
  shmem_ctx_long_atomic_fetch_add_nbi(ctx, &old[1], counter, 4, pe);
  long seen = shmem_ctx_long_atomic_fetch(ctx, counter, pe), was;
  while ((was = shmem_ctx_long_atomic_compare_swap(ctx, counter, seen, seen + 4, pe)) != seen) seen = was;
  shmem_ctx_quiet(ctx);
  CHECK(old[0] > 0 && old[1] > 0, "old values %ld and %ld", old[0], old[1]);
}

// All PEs add to the counters of the first and of the last PE, in turn to objects with a hint and without.
static void check_counters(shmem_ctx_t ctx) {
  static long of_data;
  const int n = shmem_n_pes(), me = shmem_my_pe();
  long* const counters[] = {take(sizeof(long), SHMEM_MALLOC_ATOMICS_REMOTE),
                            take(sizeof(long), SHMEM_MALLOC_SIGNAL_REMOTE), shmem_calloc(1, sizeof(long)), &of_data};
  of_data = 0;
  shmem_barrier_all();
  for (int i = 0; i < rounds; i++) add_13(ctx, counters[i % 4], i % 8 < 4 ? 0 : n - 1);
  shmem_barrier_all();
  const long from_each = 13 * rounds / 8, sum = (n == 1 ? 2 : me == 0 || me == n - 1 ? 1 : 0) * from_each * n;
  for (int i = 0; i < 4; i++) CHECK(*counters[i] == sum, "counter %d lost updates: %ld of %ld", i, *counters[i], sum);
  shmem_free(counters[2]);
  give_back(counters[1]);
  give_back(counters[0]);
}

// The context of a team whose PEs are near.
static void check_shared_team(void) {
  shmem_ctx_t ctx;
  CHECK(shmem_team_create_ctx(SHMEM_TEAM_SHARED, SHMEM_CTX_PRIVATE, &ctx) == 0, "no context");
  const int n = shmem_team_n_pes(SHMEM_TEAM_SHARED);
  long* const counters = take(2 * sizeof(long), both);
  long* const plain = shmem_calloc(1, sizeof(long));
  for (int i = 0; i < rounds / 4; i++) {
    add_13(ctx, counters, 0);
    shmem_ctx_long_atomic_add(ctx, plain, 1, n - 1);
    shmem_long_atomic_add(&counters[1], 1, shmem_my_pe());
  }
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  const int mine = shmem_team_my_pe(SHMEM_TEAM_SHARED);
  CHECK(counters[0] == (mine == 0 ? 13 * (rounds / 4) * n : 0), "%ld", counters[0]);
  CHECK(counters[1] == rounds / 4, "its own counter: %ld", counters[1]);
  CHECK(*plain == (mine == n - 1 ? rounds / 4 * n : 0), "%ld", *plain);
  shmem_ctx_destroy(ctx);
  shmem_free(plain);
  give_back(counters);
}

// A session packs operations on objects of the CPUs, and no others.
static void check_session(void) {
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  long* const hinted = take(sizeof(long), both);
  uint64_t* const signal = take(sizeof *signal, both);
  long* const plain = shmem_calloc(1, sizeof(long));
  shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  for (int i = 0; i < rounds; i++) {
    shmem_ctx_long_atomic_add(ctx, hinted, 3, 0);
    shmem_ctx_long_atomic_add(ctx, plain, 5, 0);
    shmem_long_atomic_inc(hinted, 0);
    shmem_ctx_signal_add(ctx, signal, 1, 0);
  }
  shmem_ctx_session_stop(ctx);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  const long n = shmem_my_pe() == 0 ? shmem_n_pes() : 0;
  CHECK(*hinted == 4 * rounds * n && *plain == 5 * rounds * n, "%ld and %ld", *hinted, *plain);
  CHECK(*signal == (uint64_t)(rounds * n), "signals: %llu", (unsigned long long)*signal);
  shmem_ctx_destroy(ctx);
  shmem_free(plain);
  give_back(signal);
  give_back(hinted);
}

static void check_extensions(void) {
  double* const sum = take(sizeof *sum, SHMEM_MALLOC_ATOMICS_REMOTE);
  uint32_t* const narrow = take(2 * sizeof *narrow, SHMEM_MALLOC_ATOMICS_REMOTE);
  char inbox[8] = "";
  static char target[8];
  shmemx_ct_t counter;
  shmemx_ct_create(&counter);
  for (int i = 0; i < rounds / 4; i++) {
    shmemx_double_atomic_add(sum, 0.5, 0);
    shmem_uint32_atomic_inc(&narrow[1], 0);
    shmem_uint32_atomic_xor(&narrow[0], 1u << shmem_my_pe() % 32, 0);
    shmemx_putmem_ct(counter, target, inbox, sizeof inbox, right_of(shmem_my_pe()));
    shmem_fence();  // before the next put to the same bytes
  }
  shmem_uint64_wait_until((uint64_t*)counter, SHMEM_CMP_EQ, rounds / 4);
  shmem_barrier_all();
  const int n = shmem_my_pe() == 0 ? shmem_n_pes() : 0;
  CHECK(*sum == 0.5 * (rounds / 4) * n, "sum %f", *sum);
  CHECK(narrow[0] == 0 && narrow[1] == (uint32_t)(rounds / 4 * n), "%u and %u", narrow[0], narrow[1]);
  shmemx_ct_free(&counter);
  give_back(narrow);
  give_back(sum);
}

// ---- signals, order and locks -------------------------------------------------------------------------------------

// Blocks of one element, of some, and without waiting, go round with a signal that is set or added.
static void check_signals(void) {
  uint64_t* const signals = take(2 * sizeof *signals, SHMEM_MALLOC_SIGNAL_REMOTE);
  long* const inbox = shmem_calloc(block, sizeof(long));
  const int me = shmem_my_pe(), right = right_of(me), left = left_of(me);
  long message[block];
  for (long r = 1; r <= rounds / 3; r++) {
    const size_t length = r % 3 == 0 ? 1 : block;
    for (size_t i = 0; i < length; i++) message[i] = 1000 * me + r + (long)i;
    const int how = r % 2 == 0 ? SHMEM_SIGNAL_ADD : SHMEM_SIGNAL_SET;
    const uint64_t value = how == SHMEM_SIGNAL_ADD ? 1 : (uint64_t)r;
    if (r % 4 < 2)
      shmem_long_put_signal(inbox, message, length, &signals[0], value, how, right);
    else
      shmem_long_put_signal_nbi(inbox, message, length, &signals[0], value, how, right);
    shmem_signal_wait_until(&signals[0], SHMEM_CMP_EQ, (uint64_t)r);
    for (size_t i = 0; i < length; i++)
      CHECK(inbox[i] == 1000 * left + r + (long)i, "round %ld: element %zu is %ld", r, i, inbox[i]);
    shmem_signal_add(&signals[1], 1, left);  // the inbox may be written again
    shmem_signal_wait_until(&signals[1], SHMEM_CMP_EQ, (uint64_t)r);
    shmem_quiet();
  }
  shmem_free(inbox);
  give_back(signals);
}

// Signals and atomic operations are atomic with each other.
static void check_mixed_signal(void) {
  uint64_t* const signal = take(sizeof *signal, both);
  const int n = shmem_n_pes();
  for (int i = 0; i < rounds; i++) {
    shmem_signal_add(signal, 1, 0);
    shmem_uint64_atomic_add(signal, 2, 0);
    shmem_putmem_signal(NULL, NULL, 0, signal, 3, SHMEM_SIGNAL_ADD, 0);
  }
  if (shmem_my_pe() == 0) shmem_signal_wait_until(signal, SHMEM_CMP_EQ, (uint64_t)(6 * rounds * n));
  shmem_barrier_all();
  give_back(signal);
}

// A fence orders an atomic operation of the card before a store to a PE of the same node.
static void check_fence(void) {
  long* const object = take(sizeof(long), SHMEM_MALLOC_ATOMICS_REMOTE);
  long* const flag = shmem_calloc(1, sizeof(long));
  const int right = right_of(shmem_my_pe());
  for (long r = 1; r <= rounds; r++) {
    shmem_long_atomic_add(object, 1, right);
    shmem_fence();
    shmem_long_p(flag, r, right);
    shmem_long_wait_until(flag, SHMEM_CMP_GE, r);
    const long seen = shmem_long_atomic_fetch(object, shmem_my_pe());
    CHECK(seen >= r, "the flag is %ld, the object %ld", r, seen);
  }
  shmem_barrier_all();
  shmem_free(flag);
  give_back(object);
}

static void check_lock(void) {
  long* const lock = take(sizeof(long), SHMEM_MALLOC_ATOMICS_REMOTE);
  long* const counter = shmem_calloc(1, sizeof(long));
  for (int i = 0; i < rounds / 10; i++) {
    shmem_set_lock(lock);
    shmem_long_p(counter, shmem_long_g(counter, 0) + 1, 0);
    shmem_quiet();
    shmem_clear_lock(lock);
  }
  shmem_barrier_all();
  if (shmem_my_pe() == 0) CHECK(*counter == rounds / 10 * shmem_n_pes(), "%ld in the lock", *counter);
  shmem_free(counter);
  give_back(lock);
}

// ---- blocks -------------------------------------------------------------------------------------------------------

static void check_sum_of(long* counter, const char* what) {
  *counter = 0;
  shmem_barrier_all();
  for (int i = 0; i < rounds / 4; i++) add_13(SHMEM_CTX_DEFAULT, counter, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) CHECK(*counter == 13L * (rounds / 4) * shmem_n_pes(), "%s: %ld", what, *counter);
  shmem_barrier_all();
}

static void check_realloc(void) {
  long* grows = take(4 * sizeof(long), both);
  long* const next = take(sizeof(long), both);  // so that the first block has to move
  for (int i = 0; i < 4; i++) grows[i] = 10 + i + shmem_my_pe();
  const size_t before = heap().card_used;
  grows = shmem_realloc(grows, 10000 * sizeof(long));
  CHECK(grows != NULL, "no memory");
  for (int i = 0; i < 4; i++) CHECK(grows[i] == 10 + i + shmem_my_pe(), "element %d: %ld", i, grows[i]);
  CHECK((heap().card_used >= before + 9000 * sizeof(long)) == has_card(), "%zu of the card", heap().card_used);
  check_sum_of(&grows[9999], "the end of a block that has grown");
  grows = shmem_realloc(grows, sizeof(long));
  check_sum_of(grows, "a block that has shrunk");
  give_back(next);
  give_back(grows);
}

// The objects at both ends of the card heap. When it is full, further objects belong to the CPUs; when the heap is
// full, too, there are none.
static void check_ends(void) {
  CHECK(heap().card_used == 0, "%zu bytes of the card are not free", heap().card_used);
  const size_t all = heap().card_bytes / sizeof(long);
  if (all == 0) return;
  long* const whole = shmem_malloc_with_hints(all * sizeof(long), both);
  CHECK(whole != NULL && heap().card_used == heap().card_bytes, "%zu bytes", heap().card_used);
  check_sum_of(&whole[0], "the first object");
  check_sum_of(&whole[all - 1], "the last object");
  check_sum_of(&whole[all / 2], "an object in the middle");
  const size_t used = heap().used;
  long* const other = shmem_malloc_with_hints(sizeof(long), both);
  CHECK(other != NULL && heap().used > used, "the CPUs take what the card heap has no room for");
  check_sum_of(other, "an object that found no room");
  void* const rest = shmem_malloc(heap().largest_free);
  CHECK(rest != NULL && heap().largest_free == 0, "%zu bytes are left", heap().largest_free);
  CHECK(shmem_malloc_with_hints(sizeof(long), both) == NULL, "both heaps are full");
  shmem_free(rest);
  shmem_free(other);
  give_back(whole);
  give_back(take(block, both));
}

// Puts, gets and collectives use objects of the card as any other memory.
static void check_transfers(void) {
  const int n = shmem_n_pes(), me = shmem_my_pe();
  long* const all = take((size_t)n * sizeof(long), both);
  long* const mine = take(sizeof(long), both);
  *mine = me + 1;
  CHECK(shmem_long_fcollect(SHMEM_TEAM_WORLD, all, mine, 1) == 0, "fcollect");
  for (int pe = 0; pe < n; pe++) CHECK(all[pe] == pe + 1, "element %d: %ld", pe, all[pe]);
  shmem_barrier_all();
  shmem_long_p(&all[me], 100 + me, right_of(me));
  shmem_barrier_all();
  CHECK(all[left_of(me)] == 100 + left_of(me), "put: %ld", all[left_of(me)]);
  CHECK(shmem_long_g(&all[me], right_of(me)) == 100 + me, "get");
  CHECK(shmem_addr_accessible(mine, right_of(me)), "not accessible");
  shmem_barrier_all();
  give_back(mine);
  give_back(all);
}

int main(void) {
  shmem_init();
  if (getenv("EXPECTS_CARD_HEAP") != NULL) CHECK(has_card(), "no card heap");
  if (shmem_team_n_pes(SHMEM_TEAM_SHARED) == shmem_n_pes()) CHECK(!has_card(), "a job on one node has a card heap");
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0, "no context");
  check_counters(SHMEM_CTX_DEFAULT);
  check_counters(ctx);
  shmem_ctx_destroy(ctx);
  check_shared_team();
  check_session();
  check_extensions();
  check_signals();
  check_mixed_signal();
  check_fence();
  check_lock();
  check_realloc();
  check_ends();
  check_transfers();
  shmem_finalize();
  return 0;
}
