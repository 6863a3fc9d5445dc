// The driver: makes programs from seeds, runs them, compares them with the model, and prints the errors.
//
//   oshrun -n 5 random_program [--seed S|new] [--phases P] [--seconds T] [--list]
//
// Seeds S, S+1, ... for T seconds, each a program of P phases. `new` takes the first seed from the clock and prints it.
// A failing seed is likely to fail again: give it as --seed.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "contexts.h"
#include "state.h"

struct options {
  uint64_t seed;
  int phases;
  double seconds;
  int list;
};

static const struct operation_kind* const kind_tables[] = {
    rma_kinds,      strided_kinds,  atomic_kinds,  message_kinds, collective_kinds,
    extended_kinds, repeated_kinds, waiting_kinds, heap_kinds,    threaded_kinds};
static struct operation operations[most_operations];
static int operation_count;

static const struct operation_kind* random_kind(struct random* r) {
  int total = 0;
  for (size_t t = 0; t < sizeof kind_tables / sizeof *kind_tables; t++)
    for (const struct operation_kind* k = kind_tables[t]; k->name; k++) total += k->weight;
  int ticket = random_int(r, total);
  for (size_t t = 0;; t++)
    for (const struct operation_kind* k = kind_tables[t]; k->name; k++)
      if ((ticket -= k->weight) < 0) return k;
}

// Drops an operation whose bytes are taken. The bytes that it had claimed before stay claimed, unused.
static void plan_phase(struct random* r) {
  const int attempts = 20 + random_int(r, most_operations - 20);
  operation_count = 0;
  claims_clear();
  for (int i = 0; i < attempts; i++) {
    struct operation* op = &operations[operation_count];
    memset(op, 0, sizeof *op);
    op->kind = random_kind(r);
    op->pe = random_int(r, n_pes);
    op->target = random_int(r, n_pes);
    operation_count += op->kind->plan(op, r);
  }
}

static const char* memory_name(enum memory memory) {
  static const char* const names[] = {"heap", "static", "private"};
  return names[memory];
}

static void print_operation(FILE* out, const struct operation* op) {
  fprintf(out,
          "  operation %d: %s, variant %d, by PE %d to PE %d, route %d, team %d: dest %s+%zu, "
          "source %s+%zu, "
          "result %s+%zu, %zu x %zu bytes, bsize %zu, dst %td, sst %td, value %" PRIx64 ", condition %" PRIx64 "\n",
          (int)(op - operations), op->kind->name, op->variant, op->pe, op->target, op->route, op->team,
          memory_name(op->dest.memory), op->dest.offset, memory_name(op->source.memory), op->source.offset,
          memory_name(op->result.memory), op->result.offset, op->count, op->width, op->bsize, op->dst, op->sst,
          op->value, op->condition);
}

// The command that runs a program again, with the settings that decide how PEs reach each other.
static void print_command(const struct options* o, uint64_t seed) {
  static const char* const settings[] = {"OSHEN_NODE_PES", "OSHEN_TRANSPORT", "OSHEN_CHAOS"};
  fprintf(stderr, "  again: ");
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (getenv(settings[i])) fprintf(stderr, "%s=%s ", settings[i], getenv(settings[i]));
  fprintf(stderr, "oshrun -n %d random_program --seed %" PRIu64 " --phases %d --seconds 0\n", n_pes, seed, o->phases);
}

static void compare(const struct options* o, uint64_t seed, int phase) {
  struct difference d;
  if (!first_difference(&d)) return;
  fprintf(stderr, "seed=%" PRIu64 " on %d PEs, phase %d, PE %d: %s memory, byte %zu is %02x, not %02x\n", seed, n_pes,
          phase, me, memory_name(d.place.memory), d.place.offset, d.real, d.expected);
  if (d.writer)
    print_operation(stderr, d.writer);
  else
    fprintf(stderr, "  no operation of this phase writes it\n");
  print_command(o, seed);
  fflush(stderr);
  shmem_global_exit(1);
}

static void run_phase(const struct options* o, uint64_t seed, int phase, struct random* r) {
  plan_phase(r);
  if (o->list && me == 0) {
    printf("phase %d\n", phase);
    for (int i = 0; i < operation_count; i++) print_operation(stdout, &operations[i]);
  }
  for (int i = 0; i < operation_count; i++) operations[i].kind->model(&operations[i]);
  struct random of_sessions = {seed + (uint64_t)(1000 * phase + me)};
  contexts_sessions(&of_sessions);
  for (int i = 0; i < operation_count; i++) operations[i].kind->run(&operations[i]);
  collectives_wait();
  contexts_quiet();
  shmem_barrier_all();
  compare(o, seed, phase);
  shmem_barrier_all();
}

static void run_program(const struct options* o, uint64_t seed) {
  struct random r = {seed};
  void* odd = shmem_malloc(1 + random_below(&r, 5000));  // moves the arena
  void* heap = shmem_align(64, memory_bytes);
  void* private = malloc(memory_bytes);
  if (!heap || !private) shmem_global_exit(2);
  memories_fill(&r, heap, private);
  teams_create(&r);
  contexts_create();
  shmem_barrier_all();
  for (int phase = 0; phase < o->phases; phase++) run_phase(o, seed, phase, &r);
  heap_blocks_free();
  contexts_destroy();
  teams_destroy();
  shmem_free(heap);
  shmem_free(odd);
  free(private);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// PE 0's clock decides for all PEs.
static int go_on(double end) {
  static int decision, source;
  source = now() < end;
  shmem_barrier_all();
  shmem_int_broadcast(SHMEM_TEAM_WORLD, &decision, &source, 1, 0);
  return decision;
}

static struct options read_options(int argc, char** argv) {
  struct options o = {.seed = 1, .phases = 8, .seconds = 5};
  for (int i = 1; i < argc; i++) {
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--list"))
      o.list = 1;
    else if (!strcmp(argv[i], "--seed"))
      o.seed = strcmp(value, "new") ? strtoull(value, NULL, 0) : 0, i++;
    else if (!strcmp(argv[i], "--phases"))
      o.phases = atoi(value), i++;
    else if (!strcmp(argv[i], "--seconds"))
      o.seconds = atof(value), i++;
    else {
      fprintf(stderr, "random_program [--seed S|new] [--phases P] [--seconds T] [--list]; unknown: %s\n", argv[i]);
      exit(2);
    }
  }
  return o;
}

// PE 0's clock chooses the first seed for all PEs, if none is given.
static void choose_seed(struct options* o) {
  static uint64_t seed, chosen;
  seed = (uint64_t)(now() * 1e6) ^ (uint64_t)time(NULL) << 20;
  shmem_barrier_all();
  shmem_uint64_broadcast(SHMEM_TEAM_WORLD, &chosen, &seed, 1, 0);
  if (o->seed != 0) return;
  o->seed = chosen % 1000000000000 + 1;
  if (me == 0) fprintf(stderr, "random_program: seed %" PRIu64 "\n", o->seed);
}

int main(int argc, char** argv) {
  struct options o = read_options(argc, argv);
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  threads_may_call = provided == SHMEM_THREAD_MULTIPLE;
  me = shmem_my_pe();
  n_pes = shmem_n_pes();
  if (n_pes > most_pes) shmem_global_exit(2);
  choose_seed(&o);
  const double end = now() + o.seconds;
  uint64_t seed = o.seed;
  do run_program(&o, seed++);
  while (go_on(end));
  if (me == 0)
    printf("seeds %" PRIu64 " to %" PRIu64 " of %d phases: memory as the model has it on %d PEs\n", o.seed, seed - 1,
           o.phases, n_pes);
  shmem_finalize();
  return 0;
}
