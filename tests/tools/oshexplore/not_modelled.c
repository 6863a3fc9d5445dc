#include <pthread.h>
#include <shmemx.h>
static void* nothing(void* argument) { return argument; }
int main(void) {
  shmem_init();
#ifndef THREAD
  shmemx_team_barrier(SHMEM_TEAM_WORLD);
#endif
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  shmem_finalize();
  return 0;
}
