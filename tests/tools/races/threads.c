// Races between threads of one PE on symmetric memory, and for each a twin that is right.
// usage: threads NAME wrong|right
#include <pthread.h>
#include <semaphore.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { n = 64, threads = 3 };
static long data[n], sum, flag;
static int me, last;
static bool right;

static pthread_mutex_t* mutex;
static pthread_cond_t* condition;
static pthread_barrier_t* barrier;
static sem_t* semaphore;
static atomic_int* ready;

static void run_threads(void* (*routine)(void*)) {
  pthread_t all[threads];
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, routine, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
}

// What the thread that creates another does before is ordered, and after it nothing is.
static void* read_sum(void* number) {
  (void)number;
  data[0] = sum;
  return NULL;
}
static void start(void) {
  pthread_t thread;
  if (right) sum = 1;
  pthread_create(&thread, NULL, read_sum, NULL);
  if (!right) sum = 1;
  pthread_join(thread, NULL);
}

static void join(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, read_sum, NULL);
  if (right) pthread_join(thread, NULL);
  data[0] = 2;
  if (!right) pthread_join(thread, NULL);
}

// One thread of three takes no lock.
static void* add(void* number) {
  const bool locks = right || number != NULL;
  if (locks) pthread_mutex_lock(mutex);
  ++sum;
  if (locks) pthread_mutex_unlock(mutex);
  return NULL;
}
static void unlocked(void) { run_threads(add); }

// Threads exchange data at a barrier.
static void* exchange(void* number) {
  const long i = (long)number;
  data[i] = i;
  if (right) pthread_barrier_wait(barrier);
  data[n / 2 + i] = data[(i + 1) % threads];
  return NULL;
}
static void meet(void) { run_threads(exchange); }

// A condition variable, an atomic variable or a semaphore says that the data is there.
static void* wait_for_data(void* number) {
  if (number == NULL) {
    data[1] = 1;
    pthread_mutex_lock(mutex);
    atomic_store(ready, 1);
    pthread_cond_broadcast(condition);
    pthread_mutex_unlock(mutex);
  } else {
    pthread_mutex_lock(mutex);
    while (atomic_load(ready) == 0) pthread_cond_wait(condition, mutex);
    pthread_mutex_unlock(mutex);
    data[1 + (long)number] = data[1];
  }
  if (!right) data[1] = 2;
  return NULL;
}
static void signals(void) { run_threads(wait_for_data); }

static void* post_data(void* number) {
  if (number == NULL) {
    data[1] = 1;
    atomic_store(ready, 1);
    for (int i = 1; i < threads; ++i) sem_post(semaphore);
    if (!right) data[1] = 2;
  } else {
    if (right) sem_wait(semaphore);
    while (atomic_load(ready) == 0) {
    }
    data[1 + (long)number] = data[1];
  }
  return NULL;
}
static void posts(void) { run_threads(post_data); }

// One thread stores data, and another one tells PE `last`: the threads must synchronise first.
static void* store_data(void* number) {
  if (number == NULL) data[0] = 1;
  if (right) pthread_barrier_wait(barrier);
  if (number == (void*)1 && me == 0) shmem_long_atomic_set(&flag, 1, last);
  return NULL;
}
static void tells(void) {
  if (me != last || last == 0) run_threads(store_data);
  if (me != last) return;
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  sum += shmem_long_g(data, 0);
}

// One thread waits for the put of another PE, and others read it.
static void* wait_or_read(void* number) {
  if (number == NULL) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  if (right) pthread_barrier_wait(barrier);
  return number != NULL ? (void*)data[n - 1] : NULL;
}
static void learns(void) {
  if (me == 0) {
    shmem_long_put(data + n / 2, data, n / 2, last);
    shmem_fence();
    shmem_long_atomic_set(&flag, 1, last);
  }
  if (me == last) run_threads(wait_or_read);
}

// A thread reads from the dest of a non-blocking get that another one issued; the quiet is in another thread again.
static void* get_and_quiet(void* number) {
  if (number == NULL) shmem_long_get_nbi(data, data + n / 2, n / 2, last);
  pthread_barrier_wait(barrier);
  if (number == (void*)1 && right) shmem_quiet();
  pthread_barrier_wait(barrier);
  if (number == (void*)2) sum = data[3];
  return NULL;
}
static void quiets(void) {
  if (me == 0) run_threads(get_and_quiet);
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {{"start", start}, {"join", join},   {"unlocked", unlocked}, {"meet", meet},    {"signals", signals},
             {"posts", posts}, {"tells", tells}, {"learns", learns},     {"quiets", quiets}};

int main(int argc, char** argv) {
  // Global variables would be symmetric memory, too.
  pthread_mutex_t a_mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t a_condition = PTHREAD_COND_INITIALIZER;
  pthread_barrier_t a_barrier;
  sem_t a_semaphore;
  atomic_int an_int = 0;
  mutex = &a_mutex, condition = &a_condition, barrier = &a_barrier, semaphore = &a_semaphore, ready = &an_int;
  pthread_barrier_init(barrier, NULL, threads);
  sem_init(semaphore, 0, 0);
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  me = shmem_my_pe();
  last = shmem_n_pes() - 1;
  right = argc == 3 && strcmp(argv[2], "right") == 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc == 3 && strcmp(cases[i].name, argv[1]) == 0) cases[i].run();
  shmem_barrier_all();
  if (me == 0) puts("done");
  shmem_finalize();
  return 0;
}
