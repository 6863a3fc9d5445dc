/* Litmus tests of the memory model (shapes.def), for any OpenSHMEM library. Runs many rounds of each; prints how often
 * the outcome in question occurred, and whether it is allowed. Tests that the job or the library cannot run are left
 * out.
 *
 *   oshrun -n 4 litmus_program [rounds] [seed] [OPTION...]
 *
 *   --only PREFIX  only tests whose names begin with PREFIX
 *   --from N       only tests from number N on; the first one is 0
 *   --one-node     also forbids the outcomes on which the standard is silent, if all PEs share memory
 *   --weak         at least one allowed weak outcome must occur
 *   --apart        PEs do not begin rounds together; for a race detector, because meeting orders them
 *   --out FILE     PE 0 writes the counts of all outcomes to FILE (outcomes.h)
 *
 * Status 0: no forbidden outcome was seen. Macros: BENCH_HAS_TEST=0, BENCH_HAS_PUT_SIGNAL=0 and
 * BENCH_HAS_NONBLOCKING=0 say what the library lacks.
 */
#include <pthread.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcomes.h"
#include "shape.h"

#ifndef BENCH_HAS_TEST
#define BENCH_HAS_TEST 1
#endif
#ifndef BENCH_HAS_PUT_SIGNAL
#define BENCH_HAS_PUT_SIGNAL 1
#endif
#ifndef BENCH_HAS_NONBLOCKING
#define BENCH_HAS_NONBLOCKING 1
#endif

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
  const char *prefix, *out;
  long rounds, from;
  unsigned seed;
  int weak, one_node, apart;
} options_t;

static options_t read_options(int argc, char** argv) {
  options_t o = {"", NULL, argc > 1 ? atol(argv[1]) : 1000, 0, argc > 2 ? (unsigned)atoi(argv[2]) : 1, 0, 0, 0};
  for (int i = 3; i < argc; i++) {
    const int more = i + 1 < argc;
    if (strcmp(argv[i], "--weak") == 0) o.weak = 1;
    if (strcmp(argv[i], "--one-node") == 0) o.one_node = 1;
    if (strcmp(argv[i], "--apart") == 0) o.apart = 1;
    if (strcmp(argv[i], "--only") == 0 && more) o.prefix = argv[++i];
    if (strcmp(argv[i], "--from") == 0 && more) o.from = atol(argv[++i]);
    if (strcmp(argv[i], "--out") == 0 && more) o.out = argv[++i];
  }
  return o;
}

typedef struct {
  const shape_t* shape;
  int number; /* number of the thread */
  int rounds, apart;
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
#if BENCH_HAS_NONBLOCKING
    case STEP_NBI: shmem_long_put_nbi(x, &one[value], 1, pe); break;
#endif
    case STEP_P: shmem_long_p(x, value, pe); break;
    case STEP_SET: shmem_long_atomic_set(x, value, pe); break;
    case STEP_INC: shmem_long_atomic_inc(x, pe); break;
#if BENCH_HAS_PUT_SIGNAL
    case STEP_SIGNAL: shmem_long_put_signal(x, &one[1], 1, y, 1, SHMEM_SIGNAL_SET, signal_pe); break;
    case STEP_NBSIGNAL: shmem_long_put_signal_nbi(x, &one[1], 1, y, 1, SHMEM_SIGNAL_SET, signal_pe); break;
#endif
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
#if BENCH_HAS_PUT_SIGNAL
    case STEP_SIGFETCH: value = (long)shmem_signal_fetch((uint64_t*)(void*)x); break;
    case STEP_SIGWAIT: shmem_signal_wait_until((uint64_t*)(void*)x, SHMEM_CMP_NE, 0); return;
#endif
#if BENCH_HAS_TEST
    case STEP_TEST: value = shmem_long_test(x, SHMEM_CMP_NE, 0); break;
#endif
    case STEP_WAIT: shmem_long_wait_until(x, SHMEM_CMP_NE, 0); return;
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
    if (!me->apart) meet(me, round);
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

static void play(const shape_t* shape, int rounds, const options_t* options, unsigned seed) {
  actor_t actors[shape_threads];
  pthread_t helper[shape_threads];
  int mine[shape_threads], n = 0;
  for (int i = 0; i < shape->threads; i++) {
    actors[i] = (actor_t){shape, i, rounds, options->apart, seed * 31u + (unsigned)i * 977u};
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

/* ---- results */

/* PE 0 fetches the values of registers and variables, and counts the outcome of each round. */
static void count(const shape_t* shape, int rounds, outcomes_t* found) {
  static long got[registers][batch];
  static variable_t last[2];
  for (int i = 0; i < shape->threads; i++)
    for (int k = 0; k < shape->thread[i].steps; k++) {
      const step_t* s = &shape->thread[i].step[k];
      if (step_reads(s->kind)) shmem_getmem(got[s->number], seen[s->number], sizeof *got, shape->thread[i].pe);
    }
  for (int v = 0; v < 2; v++)
    if (shape->home[v] >= 0) shmem_getmem(&last[v], &variables[v], sizeof *last, shape->home[v]);
  for (int round = 0; round < rounds; round++) {
    long value[shape_terms] = {0};
    for (int i = 0; i < shape->terms; i++) {
      const int what = shape->term[i].what;
      value[i] = what < registers ? got[what][round] : last[what - 'x'].at[round][0];
    }
    outcomes_add(found, shape, value);
  }
}

static void run(const shape_t* shape, const options_t* options, outcomes_t* found) {
  for (long done = 0; done < options->rounds; done += batch) {
    const int now = options->rounds - done < batch ? (int)(options->rounds - done) : batch;
    memset(variables, 0, sizeof variables);
    memset(progress, 0, sizeof progress);
    shmem_barrier_all();
    play(shape, now, options, options->seed + (unsigned)done);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) count(shape, now, found);
    shmem_barrier_all();
  }
}

/* Whether all PEs are on one node. */
static int one_node(void) {
  for (int pe = 0; pe < shmem_n_pes(); pe++)
    if (shmem_ptr(variables, pe) == NULL) return 0;
  return 1;
}

/* Whether the library has all calls of the test. */
static int has_calls(const shape_t* shape) {
  for (int i = 0; i < shape->threads; i++)
    for (int k = 0; k < shape->thread[i].steps; k++) {
      const step_kind_t kind = shape->thread[i].step[k].kind;
      const int of_signals =
          kind == STEP_SIGNAL || kind == STEP_NBSIGNAL || kind == STEP_SIGFETCH || kind == STEP_SIGWAIT;
      if ((of_signals && !BENCH_HAS_PUT_SIGNAL) || (kind == STEP_TEST && !BENCH_HAS_TEST) ||
          (kind == STEP_NBI && !BENCH_HAS_NONBLOCKING))
        return 0;
    }
  return 1;
}

/* Why the test cannot run here; NULL if it can. */
static const char* lacks(const shape_t* shape, int threads) {
  if (shape->pes > shmem_n_pes()) return "needs more PEs";
  if (!has_calls(shape)) return "the library lacks a call";
  for (int i = 0; i < shape->threads; i++)
    for (int k = 0; k < i; k++)
      if (shape->thread[i].pe == shape->thread[k].pe && !threads) return "the library lacks SHMEM_THREAD_MULTIPLE";
  return NULL;
}

int main(int argc, char** argv) {
  const options_t options = read_options(argc, argv);
  int level;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level);
  const int first = shmem_my_pe() == 0, silent_forbidden = options.one_node && one_node();
  summary_t summary = {0};
  FILE* out = first && options.out != NULL ? fopen(options.out, "w") : NULL;
  if (first && options.out != NULL && out == NULL) shmem_global_exit(2);
  for (int i = (int)options.from; i < shape_count(); i++) {
    const shape_t shape = shape_read(i);
    if (strncmp(shape.name, options.prefix, strlen(options.prefix)) != 0) continue;
    const char* reason = lacks(&shape, level == SHMEM_THREAD_MULTIPLE);
    outcomes_t found = {.forbidden = shape.verdict == FORBIDDEN || (shape.verdict == SILENT && silent_forbidden)};
    if (first) outcomes_begin(out, i, &shape, reason);
    if (reason == NULL) run(&shape, &options, &found);
    if (first) outcomes_end(out, &shape, reason, &found, &summary);
  }
  if (first) outcomes_summary(out, &summary, options.weak);
  shmem_finalize();
  return first && summary_is_wrong(&summary, options.weak);
}
