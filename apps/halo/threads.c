#include "threads.h"

#include <pthread.h>
#include <stdlib.h>

static struct {
  pthread_mutex_t lock;
  pthread_cond_t start, done;
  pthread_t* helpers;
  int threads, busy, over;
  unsigned long turn;
  thread_job_t job;
  void* of;
} team = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .start = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER,
          .threads = 1};

static void* helper(void* number) {
  const int me = (int)(long)number;
  pthread_mutex_lock(&team.lock);
  for (unsigned long turn = 1;; turn++) {
    while (team.turn < turn && !team.over) pthread_cond_wait(&team.start, &team.lock);
    if (team.over) break;
    pthread_mutex_unlock(&team.lock);
    team.job(me, team.of);
    pthread_mutex_lock(&team.lock);
    if (--team.busy == 0) pthread_cond_signal(&team.done);
  }
  pthread_mutex_unlock(&team.lock);
  return NULL;
}

int threads_start(int threads) {
  team.helpers = calloc((size_t)threads, sizeof *team.helpers);
  if (team.helpers == NULL) return 1;
  for (; team.threads < threads; team.threads++)
    if (pthread_create(&team.helpers[team.threads], NULL, helper, (void*)(long)team.threads) != 0) return 1;
  return 0;
}

void threads_stop(void) {
  pthread_mutex_lock(&team.lock);
  team.over = 1;
  pthread_cond_broadcast(&team.start);
  pthread_mutex_unlock(&team.lock);
  while (team.threads > 1) pthread_join(team.helpers[--team.threads], NULL);
  free(team.helpers);
}

int threads_count(void) { return team.threads; }

void threads_run(thread_job_t job, void* of) {
  if (team.threads > 1) {
    pthread_mutex_lock(&team.lock);
    team.job = job;
    team.of = of;
    team.busy = team.threads - 1;
    team.turn++;
    pthread_cond_broadcast(&team.start);
    pthread_mutex_unlock(&team.lock);
  }
  job(0, of);
  if (team.threads == 1) return;
  pthread_mutex_lock(&team.lock);
  while (team.busy > 0) pthread_cond_wait(&team.done, &team.lock);
  pthread_mutex_unlock(&team.lock);
}

void share(long n, int parts, int part, long* from, long* to) {
  *from = n / parts * part + n % parts * part / parts;
  *to = n / parts * (part + 1) + n % parts * (part + 1) / parts;
}

range_t* ranges_create(void) { return calloc((size_t)threads_count(), sizeof(range_t)); }

void ranges_split(range_t* range, long n) {
  for (int t = 0; t < threads_count(); t++) share(n, threads_count(), t, &range[t].next, &range[t].end);
}
