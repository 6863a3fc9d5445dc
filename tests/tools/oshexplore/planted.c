/* Protocols, each with an error that only some orders show, and right: planted NAME wrong|right. */
#include <assert.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static long x, y, flag, flag2, sum, head, slot[4], next_of[3];
static long lock1, lock2, lock3;
static uint64_t signal1, signal2;
static int me, n;

static void set(long* object, long value, int pe) { shmem_long_atomic_set(object, value, pe); }
static void await(long* object, long value) { shmem_long_wait_until(object, SHMEM_CMP_EQ, value); }
static void fence_if(int on) {
  if (on) shmem_fence();
}
static void quiet_if(int on) {
  if (on) shmem_quiet();
}

/* ---- order of messages */

static void no_fence(int wrong) { /* the flag overtakes the data */
  if (me == 0) {
    shmem_long_p(&x, 1, 1);
    fence_if(!wrong);
    set(&flag, 1, 1);
  } else if (me == 1) {
    await(&flag, 1);
    assert(x == 1);
  }
}

static void strided(int wrong) { /* the same with a strided put */
  static const long two[2] = {1, 1};
  if (me == 0) {
    shmem_long_iput(slot, two, 2, 1, 2, 1);
    fence_if(!wrong);
    set(&flag, 1, 1);
  } else if (me == 1) {
    await(&flag, 1);
    assert(slot[0] == 1 && slot[2] == 1);
  }
}

static void half_signalled(int wrong) { /* the signal comes with the second put only */
  static const long one = 1;
  if (me == 0) {
    shmem_long_put(&x, &one, 1, 1);
    fence_if(!wrong);
    shmem_long_put_signal(&y, &one, 1, &signal1, 1, SHMEM_SIGNAL_SET, 1);
  } else if (me == 1) {
    shmem_signal_wait_until(&signal1, SHMEM_CMP_EQ, 1);
    assert(y == 1 && x == 1);
  }
}

static void non_blocking(int wrong) { /* neither the data nor the flag waits */
  static const long one = 1;
  if (me == 0) {
    shmem_long_put_nbi(&x, &one, 1, 1);
    quiet_if(!wrong);
    shmem_long_put_nbi(&flag, &one, 1, 1);
  } else if (me == 1) {
    await(&flag, 1);
    assert(x == 1);
  }
}

static void third_pe(int wrong) { /* a fence orders the puts to one PE only */
  if (me == 0) {
    shmem_long_p(&x, 1, 1);
    if (wrong) shmem_fence();
    quiet_if(!wrong);
    set(&flag, 1, 2);
  } else if (me == 2) {
    await(&flag, 1);
    assert(shmem_long_g(&x, 1) == 1);
  }
}

static void other_context(int wrong) { /* shmem_quiet is for the default context */
  shmem_ctx_t ctx;
  shmem_ctx_create(0, &ctx);
  if (me == 0) {
    shmem_ctx_long_p(ctx, &x, 1, 1);
    if (wrong) shmem_quiet();
    if (!wrong) shmem_ctx_quiet(ctx);
    set(&flag, 1, 1);
  } else if (me == 1) {
    await(&flag, 1);
    assert(x == 1);
  }
  shmem_ctx_destroy(ctx);
}

static void other_fence(int wrong) { /* the fence of another context */
  shmem_ctx_t ctx;
  shmem_ctx_create(0, &ctx);
  if (me == 0) {
    shmem_long_p(&x, 1, 1);
    if (wrong) shmem_ctx_fence(ctx);
    fence_if(!wrong);
    set(&flag, 1, 1);
  } else if (me == 1) {
    await(&flag, 1);
    assert(x == 1);
  }
  shmem_ctx_destroy(ctx);
}

static void get_after_put(int wrong) { /* a get does not wait for a put to the same place */
  if (me != 0) return;
  shmem_long_p(&x, 1, 1);
  quiet_if(!wrong);
  assert(shmem_long_g(&x, 1) == 1);
}

static void sync_only(int wrong) { /* a sync does not complete puts */
  shmem_long_p(&x, 1, (me + 1) % n);
  if (wrong) shmem_sync_all();
  if (!wrong) shmem_barrier_all();
  assert(x == 1);
}

static void queue(int wrong) { /* the tail is published before the item */
  if (me == 0)
    for (long i = 0; i < 2; i++) {
      shmem_long_p(&slot[i], i + 1, 1);
      fence_if(!wrong);
      set(&head, i + 1, 1);
    }
  else if (me == 1) {
    shmem_long_wait_until(&head, SHMEM_CMP_GE, 1);
    assert(slot[0] == 1);
  }
}

static void early_load(int wrong) { /* the data is read before the wait */
  if (me == 0) {
    shmem_long_p(&x, 1, 1);
    shmem_fence();
    set(&flag, 1, 1);
  } else if (me == 1) {
    long seen = *(volatile long*)&x;
    await(&flag, 1);
    if (!wrong) seen = *(volatile long*)&x;
    assert(seen == 1);
  }
}

/* ---- buffers */

static void source_reuse(int wrong) {
  long one = 1;
  if (me == 0) {
    shmem_long_put_nbi(&x, &one, 1, 1);
    quiet_if(!wrong);
    one = 2;
    *(volatile long*)&one = 3;
    shmem_quiet();
  }
}

static void early_dest(int wrong) {
  static long into;
  if (me != 0) return;
  shmem_long_get_nbi(&into, &x, 1, 1);
  quiet_if(!wrong);
  slot[0] = *(volatile long*)&into;
  shmem_quiet();
}

static void early_fetch(int wrong) {
  static long into;
  if (me != 0) return;
  shmem_long_atomic_fetch_inc_nbi(&into, &x, 1);
  quiet_if(!wrong);
  slot[0] = *(volatile long*)&into;
  shmem_quiet();
}

static void ahead(int wrong) { /* the second message into the buffer of the first */
  for (long i = 1; i <= 2; i++) {
    if (me == 0) {
      shmem_long_p(&x, i, 1);
      shmem_fence();
      set(&flag, i, 1);
      if (!wrong) await(&flag2, i);
    } else if (me == 1) {
      shmem_long_wait_until(&flag, SHMEM_CMP_GE, i);
      assert(x == i);
      set(&flag2, i, 0);
    }
  }
}

static void early_reply(int wrong) { /* the reply is sent before the message is read */
  for (long i = 1; i <= 2; i++) {
    if (me == 0) {
      shmem_long_p(&x, i, 1);
      shmem_fence();
      set(&flag, i, 1);
      await(&flag2, i);
    } else if (me == 1) {
      await(&flag, i);
      if (wrong) set(&flag2, i, 0);
      assert(*(volatile long*)&x == i);
      if (!wrong) set(&flag2, i, 0);
    }
  }
}

static void one_credit_more(int wrong) { /* two slots, and three messages on the way */
  const long slots = 2, credits = wrong ? 3 : 2;
  for (long i = 0; i < 3; i++) {
    if (me == 0) {
      if (i >= credits) shmem_long_wait_until(&flag2, SHMEM_CMP_GE, i - credits + 1);
      shmem_long_p(&slot[i % slots], i + 1, 1);
      shmem_fence();
      set(&flag, i + 1, 1);
    } else if (me == 1) {
      shmem_long_wait_until(&flag, SHMEM_CMP_GE, i + 1);
      assert(slot[i % slots] == i + 1);
      set(&flag2, i + 1, 0);
    }
  }
}

static void two_senders(int wrong) { /* both send to one slot */
  if (me != 0) {
    shmem_long_p(&slot[wrong ? 0 : me], me, 0);
    shmem_fence();
    shmem_long_atomic_inc(&flag, 0);
  } else {
    await(&flag, n - 1);
    assert(wrong ? slot[0] == n - 1 : slot[n - 1] == n - 1);
  }
}

static void collect_again(int wrong) { /* the dest is cleared while a peer is in the next collect */
  static long dest[8];
  for (int i = 0; i < 2; i++) {
    long mine = 1;
    shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, &mine, 1);
    for (int k = 0; k < n; k++) assert(dest[k] == 1);
    memset(dest, 0, sizeof dest);
    if (!wrong) shmem_sync_all();
  }
}

/* ---- flags and waits */

static void late_reset(int wrong) { /* the flag is set again before it is reset */
  for (long i = 1; i <= 2; i++) {
    if (wrong) set(&flag, 1, (me + 1) % n);
    if (!wrong) shmem_long_atomic_inc(&flag, (me + 1) % n);
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, wrong ? 1 : i);
    if (wrong) flag = 0;
  }
}

static void pulse(int wrong) { /* ABA: the flag is 1 for a moment only */
  if (me == 0) {
    set(&flag, 1, 1);
    shmem_fence();
    if (!wrong) await(&flag2, 1);
    set(&flag, 0, 1);
  } else if (me == 1) {
    await(&flag, 1);
    set(&flag2, 1, 0);
  }
}

static void set_or_add(int wrong) { /* two signals that set instead of adding */
  static const long one = 1;
  if (me != 0)
    shmem_long_put_signal(&slot[me], &one, 1, &signal1, 1, wrong ? SHMEM_SIGNAL_SET : SHMEM_SIGNAL_ADD, 0);
  else
    shmem_signal_wait_until(&signal1, SHMEM_CMP_EQ, (uint64_t)n - 1);
}

static void first_of_two(int wrong) { /* the wait ends with the first of two increments */
  if (me != 0)
    shmem_long_atomic_inc(&flag, 0);
  else {
    if (wrong) shmem_long_wait_until(&flag, SHMEM_CMP_NE, 0);
    if (!wrong) await(&flag, n - 1);
    assert(flag == n - 1);
  }
}

static void skipped_value(int wrong) { /* waits for a value that may be passed */
  if (me == 0) {
    set(&flag, 1, 1);
    shmem_fence();
    set(&flag, 2, 1);
  } else if (me == 1)
    shmem_long_wait_until(&flag, wrong ? SHMEM_CMP_EQ : SHMEM_CMP_GE, 1);
}

static void to_itself(int wrong) { /* the flag goes to the sender */
  if (me == 0)
    set(&flag, 1, wrong ? 0 : 1);
  else if (me == 1)
    await(&flag, 1);
}

static void one_of_all(int wrong) { /* waits for two flags, of which one is set */
  if (me == 0) {
    set(&slot[0], 1, 1);
    if (!wrong) set(&slot[1], 1, 1);
  } else if (me == 1)
    shmem_long_wait_until_all(slot, 2, NULL, SHMEM_CMP_EQ, 1);
}

static void each_waits_first(int wrong) { /* each waits before it sends */
  const int other = 1 - me;
  if (me > 1) return;
  if (wrong || me == 1) await(&flag, 1);
  set(&flag, 1, other);
  if (!wrong && me == 0) await(&flag, 1);
}

static void early_end(int wrong) { /* the count of open work is 0 before all work is announced */
  if (me == 1) {
    if (!wrong) shmem_long_atomic_add(&sum, 2, 0);
    for (int i = 0; i < 2; i++) {
      if (wrong) shmem_long_atomic_add(&sum, 1, 0);
      shmem_quiet();
      shmem_long_atomic_inc(&x, 0);
      shmem_fence();
      shmem_long_atomic_add(&sum, -1, 0);
    }
    shmem_quiet();
  } else if (me == 0) {
    shmem_long_wait_until(&x, SHMEM_CMP_GE, 1);
    await(&sum, 0);
    assert(x == 2);
  }
}

/* ---- atomics and locks */

static void get_and_put(int wrong) {
  if (wrong)
    shmem_long_p(&x, shmem_long_g(&x, 0) + 1, 0);
  else
    shmem_long_atomic_inc(&x, 0);
  shmem_barrier_all();
  if (me == 0) assert(x == n);
}

static void inside(void) { /* of a critical section */
  assert(shmem_long_atomic_fetch_inc(&sum, 0) == 0);
  shmem_long_atomic_add(&sum, -1, 0);
  shmem_quiet();
}

static void own_lock(int wrong) { /* a lock by a read and a write */
  if (wrong) {
    while (shmem_long_atomic_fetch(&flag, 0) != 0) {
    }
    set(&flag, 1, 0);
  } else {
    while (shmem_long_atomic_swap(&flag, 1, 0) != 0) {
    }
  }
  inside();
  set(&flag, 0, 0);
}

static void both_announce(
    int wrong) { /* each announces itself and looks for the other one, which may not have arrived */
  const int other = 1 - me;
  if (me > 1) return;
  shmem_long_p(&flag, 1, other);
  quiet_if(!wrong);
  if (shmem_long_g(&flag, me) == 0) inside();
}

static void unlocked(int wrong) { /* one PE takes no lock */
  const int takes = !wrong || me != 0;
  if (takes) shmem_set_lock(&lock1);
  shmem_long_p(&x, shmem_long_g(&x, 0) + 1, 0);
  shmem_quiet();
  if (takes) shmem_clear_lock(&lock1);
  shmem_barrier_all();
  if (me == 0) assert(x == n);
}

static void ticket(int wrong) { /* the next ticket is served before the data has arrived */
  const long mine = shmem_long_atomic_fetch_inc(&head, 0);
  while (shmem_long_atomic_fetch(&flag, 0) != mine) {
  }
  const long seen = shmem_long_g(&x, 1);
  shmem_long_p(&x, seen + 1, 1);
  quiet_if(!wrong);
  shmem_long_atomic_inc(&flag, 0);
  shmem_barrier_all();
  if (me == 1) assert(x == n);
}

static int exchange(long from, long to) { return shmem_long_atomic_compare_swap(&head, from, to, 0) == from; }

static void aba(int wrong) { /* an element comes back between the read and the exchange; a version tells it */
  const long version = wrong ? 0 : 10;
  next_of[0] = 1;
  shmem_barrier_all();
  if (me == 1 && exchange(0, 1 + version) && exchange(1 + version, 2 + 2 * version)) { /* pops 0 and 1 */
    shmem_long_p(&next_of[0], 2, 0);
    shmem_long_p(&x, 1, 0);
    shmem_quiet();
    exchange(2 + 2 * version, 3 * version); /* pushes 0 */
  } else if (me == 0) {
    const long first = shmem_long_atomic_fetch(&head, 0);
    const long next = shmem_long_g(&next_of[0], 0);
    if (first % 10 == 0) exchange(first, next + first - first % 10 + version);
  }
  shmem_barrier_all();
  if (me == 0) assert(x == 0 || head % 10 != 1);
}

static void two_locks(int wrong) {
  long* const first = wrong && me == 1 ? &lock2 : &lock1;
  long* const second = first == &lock1 ? &lock2 : &lock1;
  shmem_set_lock(first);
  shmem_set_lock(second);
  shmem_clear_lock(second);
  shmem_clear_lock(first);
}

static void philosophers(int wrong) {
  long* const forks[3] = {&lock1, &lock2, &lock3};
  int left = me % 3, right = (me + 1) % 3;
  if (!wrong && left > right) left = right, right = me % 3;
  shmem_set_lock(forks[left]);
  shmem_set_lock(forks[right]);
  shmem_clear_lock(forks[right]);
  shmem_clear_lock(forks[left]);
}

static void wait_in_lock(int wrong) { /* waits for a PE that needs the lock */
  if (me == 0) {
    shmem_set_lock(&lock1);
    if (!wrong) shmem_clear_lock(&lock1);
    await(&flag, 1);
    if (wrong) shmem_clear_lock(&lock1);
  } else if (me == 1) {
    shmem_set_lock(&lock1);
    set(&flag, 1, 0);
    shmem_clear_lock(&lock1);
  }
}

/* ---- collectives and calls */

static void two_orders(int wrong) {
  static long to, total, from;
  if (!wrong || me == 0) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &total, &from, 1);
  shmem_long_broadcast(SHMEM_TEAM_WORLD, &to, &from, 1, 0);
  if (wrong && me != 0) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &total, &from, 1);
}

static void two_roots(int wrong) {
  static long to, from;
  shmem_long_broadcast(SHMEM_TEAM_WORLD, &to, &from, 1, wrong ? me % 2 : 0);
}

static void no_barrier(int wrong) { /* a broadcast tells its root nothing */
  static long to, from;
  if (me == 1) shmem_long_p(&x, 1, 0);
  if (!wrong) shmem_barrier_all();
  shmem_long_broadcast(SHMEM_TEAM_WORLD, &to, &from, 1, 0);
  if (me == 0) assert(x == 1);
}

static void once_more(int wrong) { /* one PE calls a barrier more often */
  shmem_barrier_all();
  if (wrong && me == 0) shmem_sync_all();
  if (wrong && me == 0) shmem_sync_all();
}

static void other_team(int wrong) { /* one PE syncs another team */
  shmem_team_t all;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &all);
  shmem_team_sync(wrong && me == 0 ? all : SHMEM_TEAM_WORLD);
}

static void beyond(int wrong) { shmem_long_p(&x, 1, wrong ? me + 1 : (me + 1) % n); }

static void not_symmetric(int wrong) {
  long own = 0;
  shmem_long_p(wrong ? &own : &x, 1, me);
}

static void not_held(int wrong) {
  if (!wrong) shmem_set_lock(&lock1);
  if (!wrong || me == 1) shmem_clear_lock(&lock1);
}

#define ENTRY(name) {#name, name}
static const struct {
  const char* name;
  void (*run)(int wrong);
} programs[] = {
    ENTRY(no_fence),      ENTRY(strided),          ENTRY(half_signalled), ENTRY(non_blocking),  ENTRY(third_pe),
    ENTRY(other_context), ENTRY(other_fence),      ENTRY(get_after_put),  ENTRY(sync_only),     ENTRY(queue),
    ENTRY(early_load),    ENTRY(source_reuse),     ENTRY(early_dest),     ENTRY(early_fetch),   ENTRY(ahead),
    ENTRY(early_reply),   ENTRY(one_credit_more),  ENTRY(two_senders),    ENTRY(collect_again), ENTRY(late_reset),
    ENTRY(pulse),         ENTRY(set_or_add),       ENTRY(first_of_two),   ENTRY(skipped_value), ENTRY(to_itself),
    ENTRY(one_of_all),    ENTRY(each_waits_first), ENTRY(early_end),      ENTRY(get_and_put),   ENTRY(own_lock),
    ENTRY(both_announce), ENTRY(unlocked),         ENTRY(ticket),         ENTRY(aba),           ENTRY(two_locks),
    ENTRY(philosophers),  ENTRY(wait_in_lock),     ENTRY(two_orders),     ENTRY(two_roots),     ENTRY(no_barrier),
    ENTRY(once_more),     ENTRY(other_team),       ENTRY(beyond),         ENTRY(not_symmetric), ENTRY(not_held)};

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  int found = 0;
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
    if (strcmp(programs[i].name, argv[1]) == 0) {
      found = 1;
      programs[i].run(strcmp(argv[2], "wrong") == 0);
    }
  shmem_finalize();
  return found ? 0 : 3;
}
