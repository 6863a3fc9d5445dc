// Another thread of the same PE may make the update that ends a wait, also through shmem_ptr.
// @since 1.5
#include <pthread.h>
#include <time.h>
#include "check.h"

static long by_atomic, by_store;

static void pause_ms(long ms) { nanosleep(&(struct timespec){.tv_sec = 0, .tv_nsec = ms * 1000000}, NULL); }

static void* update_later(void* unused) {
  pause_ms(5);
  shmem_long_atomic_add(&by_atomic, 3, shmem_my_pe());
  return unused;
}

int main(void) {
  int provided = 0;
  pthread_t helper;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  CHECK(provided == SHMEM_THREAD_MULTIPLE, "provided %d", provided);
  const int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();

  CHECK(pthread_create(&helper, NULL, update_later, NULL) == 0, "pthread_create");
  shmem_long_wait_until(&by_atomic, SHMEM_CMP_EQ, 3);
  pthread_join(helper, NULL);

  // A plain store through shmem_ptr makes no call that could wake a waiter, so that the waiter must look again itself.
  long* there = shmem_ptr(&by_store, right);
  shmem_barrier_all();
  pause_ms(5);
  if (there)
    __atomic_store_n(there, 4, __ATOMIC_RELEASE);
  else
    shmem_long_atomic_set(&by_store, 4, right);
  shmem_long_wait_until(&by_store, SHMEM_CMP_EQ, 4);
  shmem_finalize();
  return 0;
}
