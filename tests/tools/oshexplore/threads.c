/* Protocols of threads, each with an error that only some orders show, and right: threads NAME wrong|right. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static long x, flag, reply;
static int me, wrong, count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;

typedef void* body(void*);
static void* const second = (void*)1;

static void start(pthread_t* thread, body* b, void* argument) {
  assert(pthread_create(thread, NULL, b, argument) == 0);
}

/* Two threads beside the first one: NULL and second. */
static void both(body* b) {
  pthread_t one, two;
  start(&one, b, NULL);
  start(&two, b, second);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}

/* ---- memory of one PE */

static void* increment(void* number) {
  int* object = number; /* on the stack of another thread */
  if (!wrong) pthread_mutex_lock(&mutex);
  ++*object;
  if (!wrong) pthread_mutex_unlock(&mutex);
  return NULL;
}
static void update(void) { /* an increment is lost */
  int here = 0;
  pthread_t one, two;
  start(&one, increment, &here);
  start(&two, increment, &here);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  assert(here == 2);
}

static void* fill(void* object) {
  *(int*)object = 1;
  return object;
}
static void join(void) { /* the result is read before the thread has ended */
  int here = 0;
  void* result = &here;
  pthread_t thread;
  start(&thread, fill, &here);
  if (!wrong) pthread_join(thread, &result);
  assert(*(int*)result == 1);
  if (wrong) pthread_join(thread, NULL);
}

static atomic_int turns;
static void* take_turn(void* number) {
  (void)number;
  const int mine = wrong ? turns : 0; /* two steps instead of one */
  if (wrong) turns = mine + 1;
  if (!wrong) ++turns;
  return NULL;
}
static void atomics(void) {
  both(take_turn);
  assert(turns == 2);
}

/* ---- mutexes */

static void* lock_both(void* number) {
  const int swapped = wrong && number != NULL;
  pthread_mutex_lock(swapped ? &other_mutex : &mutex);
  pthread_mutex_lock(swapped ? &mutex : &other_mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_unlock(&other_mutex);
  return NULL;
}
static void two_mutexes(void) { both(lock_both); }

static void* count_shared(void* number) {
  (void)number;
  if (wrong)
    pthread_rwlock_rdlock(&rwlock);
  else
    pthread_rwlock_wrlock(&rwlock);
  count = count + 1;
  pthread_rwlock_unlock(&rwlock);
  return NULL;
}
static void readers(void) { /* a lock for reading does not exclude the other one */
  both(count_shared);
  assert(count == 2);
}

static void* count_allowed(void* number) {
  (void)number;
  sem_wait(&semaphore);
  count = count + 1;
  sem_post(&semaphore);
  return NULL;
}
static void semaphores(void) { /* a semaphore for two in the place of a mutex */
  sem_init(&semaphore, 0, wrong ? 2 : 1);
  both(count_allowed);
  assert(count == 2);
}

static void* try_it(void* number) {
  (void)number;
  if (pthread_mutex_trylock(&mutex) == 0) {
    ++count;
    pthread_mutex_unlock(&mutex);
  } else if (!wrong) {
    pthread_mutex_lock(&mutex);
    ++count;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}
static void trying(void) { /* the mutex may be held */
  both(try_it);
  assert(count == 2);
}

static void* unlock_it(void* number) {
  (void)number;
  if (wrong) pthread_mutex_unlock(&mutex);
  return NULL;
}
static void not_held(void) {
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  start(&thread, unlock_it, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&mutex);
}

/* ---- condition variables and barriers */

static void* announce(void* number) {
  if (!wrong) pthread_mutex_lock(&mutex);
  count = 1;
  pthread_cond_signal(&condition);
  if (!wrong) pthread_mutex_unlock(&mutex);
  return number;
}
static void unlocked_signal(void) { /* it comes between the test and the wait */
  pthread_t thread;
  start(&thread, announce, NULL);
  pthread_mutex_lock(&mutex);
  while (count == 0) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}

static void* await_count(void* number) {
  pthread_mutex_lock(&mutex);
  while (count == 0) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return number;
}
static void one_signal(void) { /* for two threads */
  pthread_t one, two;
  start(&one, await_count, NULL);
  start(&two, await_count, NULL);
  pthread_mutex_lock(&mutex);
  count = 1;
  if (wrong)
    pthread_cond_signal(&condition);
  else
    pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}

static void* take_item(void* number) {
  pthread_mutex_lock(&mutex);
  if (wrong && count == 0) pthread_cond_wait(&condition, &mutex);
  while (!wrong && count == 0) pthread_cond_wait(&condition, &mutex);
  --count;
  assert(count >= 0);
  pthread_mutex_unlock(&mutex);
  return number;
}
static void no_loop(void) { /* another thread takes the item before the one that was woken */
  pthread_t one, two;
  start(&one, take_item, NULL);
  start(&two, take_item, NULL);
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    ++count;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  }
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}

static int parts[2];
static void* exchange(void* number) {
  const int mine = number != NULL;
  parts[mine] = 1;
  const int last = wrong ? 0 : pthread_barrier_wait(&barrier);
  assert(parts[1 - mine] == 1);
  if (last == PTHREAD_BARRIER_SERIAL_THREAD) ++count;
  return NULL;
}
static void barriers(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  both(exchange);
  assert(wrong || count == 1);
}

static void* arrive(void* number) {
  pthread_barrier_wait(&barrier);
  return number;
}
static void one_more(void) { /* the barrier waits for a thread that does not exist */
  pthread_barrier_init(&barrier, NULL, wrong ? 3 : 2);
  both(arrive);
}

/* ---- a store after the step that lets the other thread go on */

static void store_if(int now) {
  if (now) count = 1;
}

static void* look(void* number) {
  assert(count == 1);
  return number;
}
static void late_start(void) {
  pthread_t thread;
  store_if(!wrong);
  start(&thread, look, NULL);
  store_if(wrong);
  pthread_join(thread, NULL);
}

static void* signal_it(void* number) {
  store_if(!wrong);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&condition);
  store_if(wrong);
  return number;
}
static void late_store(void) { /* the signal comes when this thread sleeps, as it holds the mutex until then */
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  start(&thread, signal_it, NULL);
  pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  assert(count == 1);
  pthread_join(thread, NULL);
}

static void* post_it(void* number) {
  store_if(!wrong);
  sem_post(&semaphore);
  store_if(wrong);
  return number;
}
static void late_post(void) {
  pthread_t thread;
  sem_init(&semaphore, 0, 0);
  start(&thread, post_it, NULL);
  sem_wait(&semaphore);
  assert(count == 1);
  pthread_join(thread, NULL);
}

/* ---- threads and other PEs */

static void* put_and_tell(void* number) {
  if (number == NULL) {
    shmem_long_p(&x, 1, 1);
    if (!wrong) shmem_quiet();
    pthread_mutex_lock(&mutex);
    count = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  } else {
    await_count(NULL);
    shmem_long_atomic_set(&flag, 1, 1);
  }
  return NULL;
}
static void other_thread_tells(void) { /* without a quiet of the thread that has put, or a fence of both */
  if (me == 0) both(put_and_tell);
  if (me != 1) return;
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  assert(x == 1);
}

static void* put_or_quiet(void* number) {
  if (number == NULL) {
    shmem_long_p(&x, 1, 1);
    pthread_barrier_wait(&barrier);
  } else {
    if (!wrong) pthread_barrier_wait(&barrier);
    shmem_quiet();
    if (wrong) pthread_barrier_wait(&barrier);
    shmem_long_atomic_set(&flag, 1, 1);
  }
  return NULL;
}
static void early_quiet(void) { /* it may come before the put of the other thread */
  pthread_barrier_init(&barrier, NULL, 2);
  if (me == 0) both(put_or_quiet);
  if (me != 1) return;
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  assert(x == 1);
}

static long all_syncs[2][SHMEM_BCAST_SYNC_SIZE], said[2], heard[2];
static void* hear(void* number) {
  const int mine = number != NULL;
  shmem_broadcast64(&heard[mine], &said[mine], 1, 0, 0, 0, 2, all_syncs[wrong && me == 1 ? 0 : mine]);
  assert(me == 0 || heard[mine] == mine + 1);
  return NULL;
}
static void active_sets(void) { /* pSync tells the collectives of two threads apart; one has that of the other */
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < SHMEM_BCAST_SYNC_SIZE; ++k) all_syncs[i][k] = SHMEM_SYNC_VALUE;
  said[0] = 1;
  said[1] = 2;
  shmem_barrier_all();
  both(hear);
}

static void* wait_for_pe(void* number) {
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmem_long_atomic_set(&reply, 1, 1 - me);
  return number;
}
static void helper(void) { /* a thread answers while the first one waits, too */
  pthread_t thread;
  if (!wrong) start(&thread, wait_for_pe, NULL);
  shmem_long_atomic_set(&flag, 1, 1 - me);
  shmem_long_wait_until(&reply, SHMEM_CMP_EQ, 1);
  if (!wrong) pthread_join(thread, NULL);
}

static void* set_flag(void* number) {
  x = wrong ? 0 : 1;
  flag = 1;
  if (wrong) x = 1;
  return number;
}
static void stored(void) { /* a store of one thread ends the wait of another one */
  pthread_t thread;
  start(&thread, set_flag, NULL);
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  assert(x == 1);
  pthread_join(thread, NULL);
}

#define ENTRY(name) {#name, name}
static const struct {
  const char* name;
  void (*run)(void);
} protocols[] = {ENTRY(update),     ENTRY(join),        ENTRY(atomics),  ENTRY(two_mutexes),        ENTRY(readers),
                 ENTRY(semaphores), ENTRY(trying),      ENTRY(not_held), ENTRY(unlocked_signal),    ENTRY(one_signal),
                 ENTRY(no_loop),    ENTRY(barriers),    ENTRY(one_more), ENTRY(other_thread_tells), ENTRY(early_quiet),
                 ENTRY(helper),     ENTRY(active_sets), ENTRY(stored),   ENTRY(late_start),         ENTRY(late_store),
                 ENTRY(late_post)};

int main(int argc, char** argv) {
  int provided = 0;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  me = shmem_my_pe();
  if (argc != 3) return 2;
  wrong = strcmp(argv[2], "wrong") == 0;
  for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; ++i)
    if (strcmp(protocols[i].name, argv[1]) == 0) protocols[i].run();
  shmem_finalize();
  return 0;
}
