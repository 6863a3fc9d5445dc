// A thread other than the main thread may initialise the library; it also finalizes it.
#include <pthread.h>
#include "check.h"

static void* live(void* unused) {
  static long inbox;
  int provided = -1;
  CHECK(shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided) == 0, "init_thread");
  CHECK(provided >= SHMEM_THREAD_FUNNELED, "provided %d", provided);
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_long_atomic_add(&inbox, me + 1, (me + 1) % n);
  shmem_barrier_all();
  CHECK(inbox == (me + n - 1) % n + 1, "inbox %ld", inbox);
  shmem_finalize();
  return unused;
}

int main(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, live, NULL) == 0, "pthread_create");
  pthread_join(thread, NULL);
  return 0;
}
