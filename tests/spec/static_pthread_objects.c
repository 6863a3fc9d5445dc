// Making statics symmetric must not disturb other objects there: mutexes, condition variables, thread-local data, stdio
// buffers, results of constructors, pointers into the statics.
// @run -> ok /written through a static buffer/
#include <pthread.h>
#include "check.h"

enum { rounds = 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, target, *pointer_into_statics = &target, from_constructor;
static _Thread_local int own = 5;
static char output_buffer[BUFSIZ];

__attribute__((constructor)) static void before_main(void) { from_constructor = 42; }

// Two threads take turns, with odd and even numbers.
static void* take_turns(void* parity) {
  const int mine = parity != NULL;
  for (int i = 0; i < rounds; i++) {
    pthread_mutex_lock(&mutex);
    while (turn % 2 != mine) pthread_cond_wait(&changed, &mutex);
    turn++;
    own++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return own == 5 + rounds ? &own : NULL;
}

int main(void) {
  setvbuf(stdout, output_buffer, _IOFBF, sizeof output_buffer);
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  const int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
  pthread_t threads[2];
  void* good[2];
  CHECK(pthread_create(&threads[0], NULL, take_turns, NULL) == 0, "pthread_create");
  CHECK(pthread_create(&threads[1], NULL, take_turns, &turn) == 0, "pthread_create");
  for (int i = 0; i < 2; i++) pthread_join(threads[i], &good[i]);
  CHECK(good[0] && good[1] && own == 5, "thread-local data is shared: %d", own);
  CHECK(turn == 2 * rounds && from_constructor == 42, "%d turns, constructor %d", turn, from_constructor);
  shmem_int_p(&target, 7 + right, right);
  shmem_barrier_all();
  CHECK(*pointer_into_statics == 7 + me, "a pointer into the statics sees %d", *pointer_into_statics);
  printf("written through a static buffer\n");
  shmem_finalize();
  CHECK(turn == 2 * rounds && *pointer_into_statics == 7 + me, "after finalize");
  return 0;
}
