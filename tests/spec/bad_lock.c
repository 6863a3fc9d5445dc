// Wrong use of locks gives one line at once, not an endless wait.
// @extension
// @run pes=1,2 clear_free -> fails /shmem_clear_lock: lock = 0x.*: this PE does not hold it/
// @run pes=2 clear_twice -> fails /PE 1: shmem_clear_lock: lock = 0x.*: this PE does not hold it/
//
// @run pes=2,3 clear_of_another -> fails /PE 1: shmem_clear_lock: lock = 0x.*: this PE does not hold it/
// @run pes=1,2,3 set_twice -> fails /shmem_set_lock: lock = 0x.*: this PE holds it already/
//
// @run pes=2 set_twice_after_test -> fails /PE 1: shmem_set_lock: lock = 0x.*: this PE holds it already/
// @run pes=2,3 clear_awaited -> fails /PE 1: shmem_clear_lock: lock = 0x.*: this PE does not hold it/
//
// @run pes=2 set_twice_with_threads -> fails /shmem_set_lock: lock = 0x.*: this PE holds it already/
// @run pes=1,2,3 uninitialised -> fails /shmem_set_lock: lock = 0x.*: its value 0x[0-9a-f]+ is not that of a lock/
//
// @run pes=2 uninitialised_test -> fails /shmem_test_lock: lock = 0x.*: its value 0x[0-9a-f]+ is not that of a lock/
#include <pthread.h>
#include <unistd.h>

#include "bad_use.h"

static long lock, shared, *garbage;

static void clear_free(void) { shmem_clear_lock(&lock); }
static void clear_twice(void) {
  shmem_set_lock(&lock);
  shmem_clear_lock(&lock);
  shmem_clear_lock(&lock);
}
static void clear_of_another(void) { shmem_clear_lock(&shared); }
static void* await_shared(void* unused) {
  shmem_set_lock(&shared);
  return unused;
}
// Another thread of this PE waits in the queue of the lock, which does not mean that the PE holds it.
static void clear_awaited(void) {
  pthread_t other;
  CHECK(pthread_create(&other, NULL, await_shared, NULL) == 0, "a thread");
  usleep(200000);
  shmem_clear_lock(&shared);
}
static void set_twice(void) {
  shmem_set_lock(&lock);
  shmem_set_lock(&lock);
}
static void set_twice_after_test(void) {
  CHECK(shmem_test_lock(&lock) == 0, "a free lock");
  shmem_set_lock(&lock);
}
static void uninitialised(void) { shmem_set_lock(garbage); }
static void uninitialised_test(void) { garbage[0] = shmem_test_lock(garbage); }

static const struct mistake mistakes[] = {{"clear_free", clear_free},
                                          {"clear_twice", clear_twice},
                                          {"clear_of_another", clear_of_another},
                                          {"clear_awaited", clear_awaited},
                                          {"set_twice", set_twice},
                                          {"set_twice_with_threads", set_twice},
                                          {"set_twice_after_test", set_twice_after_test},
                                          {"uninitialised", uninitialised},
                                          {"uninitialised_test", uninitialised_test}};

int main(int argc, char** argv) {
  int provided = 0;
  const int threads = argc > 1 && (!strcmp(argv[1], "set_twice_with_threads") || !strcmp(argv[1], "clear_awaited"));
  shmem_init_thread(threads ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &provided);
  garbage = shmem_malloc(sizeof(long));
  memset(garbage, 0x5a, sizeof(long));
  if (shmem_my_pe() == 0) shmem_set_lock(&shared);
  shmem_barrier_all();
  return make_mistake(mistakes, LENGTH(mistakes), argc, argv);
}
