/* Litmus tests of the memory model (shapes.def). Runs many rounds of each; prints how often the outcome in question
 * occurred, and whether it is allowed. Shapes that need more PEs than the job has are left out.
 *
 *   oshrun -n 4 litmus_program [rounds] [seed] [--weak] [--only PREFIX]
 *
 * --weak: at least one allowed weak outcome must occur. --only: only shapes whose names begin with PREFIX.
 */
#include <pthread.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shape.h"

#ifdef LITMUS_WITHOUT_QUIET /* a library whose quiet is only a fence, which the tests must notice */
#define shmem_quiet shmem_fence
#endif

enum { batch = 500, line_longs = 8, registers = 4, patience = 3000 };

typedef struct {
  long at[batch][line_longs]; /* a word on a line of its own, for each round */
} variable_t;

static variable_t variables[2];
static long seen[registers][batch];
static atomic_long progress[shape_threads][line_longs]; /* on PE 0: the round that each thread is in */
static long one[3] = {0, 1, 2};

typedef struct {
  const shape_t* shape;
  int number; /* number of the thread */
  int rounds;
  unsigned random;
} actor_t;

/* ---- one step */

static long* word(char name, int round) { return &variables[name - 'x'].at[round][0]; }

static void barriers(const step_t* s) {
  if (s->kind == STEP_BARRIER)
    shmem_barrier_all();
  else if (s->kind == STEP_SYNC)
    shmem_sync_all();
  else if (s->kind == STEP_FENCE)
    shmem_fence();
  else
    shmem_quiet();
}

static void write_step(const step_t* s, int round, int pe, int signal_pe) {
  long* x = word(s->variable, round);
  const long value = s->number;
  uint64_t* y = (uint64_t*)(void*)word('y', round);
  switch (s->kind) {
    case STEP_PUT: shmem_long_put(x, &one[value], 1, pe); break;
    case STEP_NBI: shmem_long_put_nbi(x, &one[value], 1, pe); break;
    case STEP_P: shmem_long_p(x, value, pe); break;
    case STEP_SET: shmem_long_atomic_set(x, value, pe); break;
    case STEP_INC: shmem_long_atomic_inc(x, pe); break;
    case STEP_SIGNAL: shmem_long_put_signal(x, &one[1], 1, y, 1, SHMEM_SIGNAL_SET, signal_pe); break;
    case STEP_NBSIGNAL: shmem_long_put_signal_nbi(x, &one[1], 1, y, 1, SHMEM_SIGNAL_SET, signal_pe); break;
    default: *(volatile long*)x = value; break;
  }
}

static void read_step(const step_t* s, int round, int pe) {
  long* x = word(s->variable, round);
  long value = 0;
  switch (s->kind) {
    case STEP_GET: shmem_long_get(&value, x, 1, pe); break;
    case STEP_G: value = shmem_long_g(x, pe); break;
    case STEP_FETCH: value = shmem_long_atomic_fetch(x, pe); break;
    case STEP_FINC: value = shmem_long_atomic_fetch_inc(x, pe); break;
    case STEP_SIGFETCH: value = (long)shmem_signal_fetch((uint64_t*)(void*)x); break;
    case STEP_TEST: value = shmem_long_test(x, SHMEM_CMP_NE, 0); break;
    case STEP_WAIT: shmem_long_wait_until(x, SHMEM_CMP_NE, 0); return;
    case STEP_SIGWAIT: shmem_signal_wait_until((uint64_t*)(void*)x, SHMEM_CMP_NE, 0); return;
    default: value = *(volatile long*)x; break;
  }
  seen[s->number][round] = value;
}

/* ---- threads */

/* Begins a round at about the same time as the other threads. It does not wait for late threads for long, and executes
 * no fence. Does nothing if the memory of PE 0 is not mapped. */
static void meet(actor_t* me, int round) {
  atomic_long* there[shape_threads];
  for (int i = 0; i < me->shape->threads; i++)
    if ((there[i] = shmem_ptr(&progress[i][0], 0)) == NULL) return;
  atomic_store_explicit(there[me->number], round + 1, memory_order_relaxed);
  for (int i = 0; i < me->shape->threads; i++)
    for (int k = 0; k < patience && atomic_load_explicit(there[i], memory_order_relaxed) <= round; k++) {
    }
  me->random = me->random * 1664525u + 1013904223u;
  for (volatile unsigned k = me->random >> 26; k > 0;) k = k - 1;
}

static void* act(void* actor) {
  actor_t* me = actor;
  const shape_t* shape = me->shape;
  const thread_t* thread = &shape->thread[me->number];
  for (int round = 0; round < me->rounds; round++) {
    meet(me, round);
    for (int i = 0; i < thread->steps; i++) {
      const step_t* s = &thread->step[i];
      const int pe = s->variable != 0 ? shape->home[s->variable - 'x'] : 0;
      if (step_synchronises(s->kind))
        barriers(s);
      else if (step_writes(s->kind))
        write_step(s, round, pe, shape->home[1]);
      else
        read_step(s, round, pe);
    }
  }
  return NULL;
}

/* PEs without a thread in the shape enter its barriers. */
static void attend(const shape_t* shape, int rounds) {
  for (int i = 0; i < rounds * shape->barriers; i++) shmem_barrier_all();
  for (int i = 0; i < rounds * shape->syncs; i++) shmem_sync_all();
}

static void play(const shape_t* shape, int rounds, unsigned seed) {
  actor_t actors[shape_threads];
  pthread_t helper[shape_threads];
  int mine[shape_threads], n = 0;
  for (int i = 0; i < shape->threads; i++) {
    actors[i] = (actor_t){shape, i, rounds, seed * 31u + (unsigned)i * 977u};
    if (shape->thread[i].pe == shmem_my_pe()) mine[n++] = i;
  }
  for (int k = 1; k < n; k++)
    if (pthread_create(&helper[k], NULL, act, &actors[mine[k]]) != 0) shmem_global_exit(3);
  if (n > 0)
    act(&actors[mine[0]]);
  else
    attend(shape, rounds);
  for (int k = 1; k < n; k++) pthread_join(helper[k], NULL);
}

/* ---- outcomes */

/* PE 0 fetches the values of registers and variables, and compares them with the outcome. */
static int matches(const shape_t* shape, int round, long (*got)[batch], variable_t* last) {
  for (int i = 0; i < shape->terms; i++) {
    const term_t* t = &shape->term[i];
    const long value = t->what < registers ? got[t->what][round] : last[t->what - 'x'].at[round][0];
    if (value != t->value) return 0;
  }
  return 1;
}

static long count(const shape_t* shape, int rounds) {
  static long got[registers][batch];
  static variable_t last[2];
  long matched = 0;
  for (int i = 0; i < shape->threads; i++)
    for (int k = 0; k < shape->thread[i].steps; k++) {
      const step_t* s = &shape->thread[i].step[k];
      if (step_reads(s->kind)) shmem_getmem(got[s->number], seen[s->number], sizeof *got, shape->thread[i].pe);
    }
  for (int v = 0; v < 2; v++)
    if (shape->home[v] >= 0) shmem_getmem(&last[v], &variables[v], sizeof *last, shape->home[v]);
  for (int round = 0; round < rounds; round++) matched += matches(shape, round, got, last);
  return matched;
}

static long run(const shape_t* shape, long rounds, unsigned seed) {
  long matched = 0;
  for (long done = 0; done < rounds; done += batch) {
    const int now = rounds - done < batch ? (int)(rounds - done) : batch;
    memset(variables, 0, sizeof variables);
    memset(progress, 0, sizeof progress);
    shmem_barrier_all();
    play(shape, now, seed + (unsigned)done);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) matched += count(shape, now);
    shmem_barrier_all();
  }
  return matched;
}

/* Whether all PEs are on one node. */
static int one_node(void) {
  for (int pe = 0; pe < shmem_n_pes(); pe++)
    if (shmem_ptr(variables, pe) == NULL) return 0;
  return 1;
}

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? atol(argv[1]) : 1000;
  const unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
  const char* prefix = "";
  int weak_wanted = 0, level, wrong = 0, weak = 0, allowed = 0, left_out = 0;
  for (int i = 3; i < argc; i++) {
    if (strcmp(argv[i], "--weak") == 0) weak_wanted = 1;
    if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) prefix = argv[++i];
  }
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level);
  const int first = shmem_my_pe() == 0, near = one_node();
  for (int i = 0; i < shape_count(); i++) {
    const shape_t shape = shape_read(i);
    if (strncmp(shape.name, prefix, strlen(prefix)) != 0 || (shape.pes > shmem_n_pes() && ++left_out)) continue;
    const long matched = run(&shape, rounds, seed);
    if (!first) continue;
    const int forbidden = shape.verdict == FORBIDDEN || (shape.verdict == ONENODE && near);
    printf("%-22s %-16s %8ld of %ld  %s%s\n", shape.name, shape.outcome, matched, rounds,
           forbidden ? "forbidden" : "allowed", forbidden && matched > 0 ? "  SEEN" : "");
    fflush(stdout);
    wrong += forbidden && matched > 0;
    allowed += !forbidden;
    weak += !forbidden && matched > 0;
  }
  if (first) {
    printf("litmus: %d forbidden outcomes seen; weak ones seen in %d of %d tests that allow them", wrong, weak,
           allowed);
    printf(left_out > 0 ? "; %d tests need more PEs\n" : "\n", left_out);
    printf("litmus: %s\n", wrong > 0 || (weak_wanted && weak == 0) ? "WRONG" : "right");
  }
  shmem_finalize();
  return first && (wrong > 0 || (weak_wanted && weak == 0));
}
