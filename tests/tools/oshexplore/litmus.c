/* One litmus test of bench/programs/litmus, once: litmus NUMBER. Prints the registers and the final values, so that the
 * different outputs of `oshrun --explore` are the outcomes. */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "shape.h"

static long v[2];
static uint64_t s[2]; /* the variables of signals */
static long r[4];
static int uses_signals;

static long* variable(int name) { return uses_signals && name == 'y' ? (long*)&s[1] : &v[name - 'x']; }

static void run(const shape_t* shape, const step_t* t) {
  static long one = 1;
  const int other = shape->home[1];
  long* a = t->variable ? variable(t->variable) : NULL;
  const int home = t->variable ? shape->home[t->variable - 'x'] : 0;
  long value = t->number;
  switch (t->kind) {
    case STEP_PUT: shmem_long_put(a, &value, 1, home); break;
    case STEP_NBI: shmem_long_put_nbi(a, &one, 1, home); break;
    case STEP_P: shmem_long_p(a, value, home); break;
    case STEP_SET: shmem_long_atomic_set(a, value, home); break;
    case STEP_INC: shmem_long_atomic_inc(a, home); break;
    case STEP_SIGNAL: shmem_long_put_signal(a, &one, 1, &s[1], 1, SHMEM_SIGNAL_SET, other); break;
    case STEP_NBSIGNAL: shmem_long_put_signal_nbi(a, &one, 1, &s[1], 1, SHMEM_SIGNAL_SET, other); break;
    case STEP_STORE: *a = value; break;
    case STEP_GET: shmem_long_get(&r[t->number], a, 1, home); break;
    case STEP_G: r[t->number] = shmem_long_g(a, home); break;
    case STEP_FETCH: r[t->number] = shmem_long_atomic_fetch(a, home); break;
    case STEP_FINC: r[t->number] = shmem_long_atomic_fetch_inc(a, home); break;
    case STEP_SIGFETCH: r[t->number] = (long)shmem_signal_fetch((uint64_t*)a); break;
    case STEP_TEST: r[t->number] = shmem_long_test(a, SHMEM_CMP_NE, 0); break;
    case STEP_LOAD: r[t->number] = *(volatile long*)a; break;
    case STEP_WAIT: shmem_long_wait_until(a, SHMEM_CMP_NE, 0); break;
    case STEP_SIGWAIT: shmem_signal_wait_until((uint64_t*)a, SHMEM_CMP_NE, 0); break;
    case STEP_FENCE: shmem_fence(); break;
    case STEP_QUIET: shmem_quiet(); break;
    case STEP_BARRIER: shmem_barrier_all(); break;
    default: shmem_sync_all(); break;
  }
}

static shape_t shape;

/* The steps of a thread of the shape. */
static void* act(void* thread) {
  const thread_t* const all = thread;
  for (int k = 0; k < all->steps; k++) run(&shape, &all->step[k]);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  shape = shape_read(atoi(argv[1]));
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  const int me = shmem_my_pe();
  int meets = 0, mine = 0;
  pthread_t helper[shape_threads];
  for (int i = 0; i < shape.threads; i++)
    for (int k = 0; k < shape.thread[i].steps; k++) {
      const step_kind_t kind = shape.thread[i].step[k].kind;
      if (kind == STEP_SIGNAL || kind == STEP_NBSIGNAL) uses_signals = 1;
    }
  thread_t* first = NULL;
  for (int i = 0; i < shape.threads; i++) {
    if (shape.thread[i].pe != me) continue;
    for (int k = 0; k < shape.thread[i].steps; k++) {
      const step_kind_t kind = shape.thread[i].step[k].kind;
      meets += kind == STEP_BARRIER || kind == STEP_SYNC;
    }
    if (first == NULL)
      first = &shape.thread[i];
    else
      pthread_create(&helper[mine++], NULL, act, &shape.thread[i]);
  }
  if (first != NULL) act(first);
  for (int i = 0; i < mine; i++) pthread_join(helper[i], NULL);
  for (; meets < shape.barriers + shape.syncs; meets++) shmem_sync_all();
  shmem_barrier_all();
  for (int i = 0; i < 4; i++)
    if (r[i] != 0) printf("%d=%ld ", i, r[i]);
  for (int i = 0; i < 2; i++)
    if (shape.home[i] == me) printf("%c=%ld ", 'x' + i, *variable('x' + i));
  shmem_finalize();
  return 0;
}
