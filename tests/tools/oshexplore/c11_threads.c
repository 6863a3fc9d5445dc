/* Threads of C11: two of them hand a number to and fro, and a third one prints what thrd_join returns. RACE: without
 * the mutex. */
#include <assert.h>
#include <shmem.h>
#include <stdio.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int turn, started;
static thread_local int own;

static void begin(void) { ++started; }

static int play(void* number) {
  const int me = number != NULL;
  call_once(&once, begin);
#ifndef RACE
  mtx_lock(&mutex);
  while (turn != me) cnd_wait(&changed, &mutex);
#endif
  ++own;
  ++turn;
#ifndef RACE
  cnd_broadcast(&changed);
  mtx_unlock(&mutex);
#endif
  if (me == 1) thrd_exit(own + 6);
  return own + 4;
}

int main(void) {
  thrd_t players[2];
  int results[2], provided = 0;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
  for (int i = 0; i < 2; ++i) thrd_create(&players[i], play, i == 0 ? NULL : &turn);
  for (int i = 0; i < 2; ++i) thrd_join(players[i], &results[i]);
  printf("%d %d %d %d\n", results[0], results[1], started, own);
  assert(turn == 2);
  shmem_finalize();
  return 0;
}
