#include <pthread.h>
#include <shmemx.h>
static void* nothing(void* argument) { return argument; }
int main(void) {
  shmem_init();
#ifndef THREAD
  shmemx_ct_t counter;
  shmemx_ct_create(&counter);
#endif
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  shmem_finalize();
  return 0;
}
