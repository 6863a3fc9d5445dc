// SHMEM_QUERY_INITIALIZED works before init, after finalize and from any thread.
// @since 1.6
#include <pthread.h>
#include "check.h"

static void* ask(void* answer) {
  shmem_query_initialized(answer);
  return NULL;
}

static int ask_in_thread(void) {
  int answer = -1;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, ask, &answer) == 0, "pthread_create");
  pthread_join(thread, NULL);
  return answer;
}

int main(void) {
  int answer = -1;
  shmem_query_initialized(&answer);
  CHECK(answer == 0 && ask_in_thread() == 0, "before init: %d", answer);
  shmem_init();
  shmem_query_initialized(&answer);
  CHECK(answer == 1 && ask_in_thread() == 1, "after init: %d", answer);
  shmem_finalize();
  shmem_query_initialized(&answer);
  CHECK(answer == 0 && ask_in_thread() == 0, "after finalize: %d", answer);
  return 0;
}
