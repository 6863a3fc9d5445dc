/* OpenMP has its own threads. EARLY: a thread before shmem_init. */
#include <pthread.h>
#include <shmem.h>

static void* nothing(void* argument) { return argument; }

int main(void) {
#ifdef EARLY
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
#endif
  shmem_init();
#pragma omp parallel num_threads(2)
  nothing(NULL);
  shmem_finalize();
  return 0;
}
