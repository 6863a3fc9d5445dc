/* SPDX-License-Identifier: BSD-3-Clause
 * Measures collectives for oshtune, by the public API only.
 *
 *   measure JOBS [MS]     measures the jobs of a file, MS milliseconds for each size (2).
 *   measure machine       prints the cost of a hop from PE 0 to the last PE, of one of many messages, of a copied byte.
 *   measure collectives   prints the names that it knows.
 *
 * A line of JOBS is "ID COLLECTIVE SETTING=VALUE BYTES[,BYTES...]".
 *
 * For each line the program initialises the library again, with that setting in its environment. One process can
 * therefore try all algorithms in any order. PE 0 prints "ID BYTES NANOSECONDS".
 *
 * The time is from the first PE's entry to the last PE's exit. All processes of a machine share its clock; clocks of
 * several machines are compared first. The result is the lower quartile of many calls, because other programs that take
 * a CPU for a while only add time. */
#define _POSIX_C_SOURCE 200809L /* for clock_gettime and strtok_r, even with -std=c11 */
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { least_repeats = 5, most_repeats = 256, line_bytes = 4096 };
static double point_seconds = 0.002; /* for one message size, within the limits on repeats */

static long now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static long ahead; /* this PE's clock minus PE 0's; 0 on the machine of PE 0 */

static long common_ns(void) { return now_ns() - ahead; }

static void fail(const char* what, const char* which) {
  fprintf(stderr, "oshtune: measure: %s: %s\n", what, which);
  shmem_global_exit(1);
  exit(1);
}

/* ---- the collectives ---- */

typedef struct {
  char *dest, *source;
  size_t bytes;                  /* of one PE */
  int call;                      /* number of this call: the root changes with it */
  const size_t *counts, *places; /* of equal blocks, for calls with such arguments */
} operation;

static int root_of(const operation* o) { return o->call % shmem_n_pes(); }

static void call_sync(operation* o) {
  (void)o;
  shmem_team_sync(SHMEM_TEAM_WORLD);
}
static void call_broadcast(operation* o) {
  shmem_broadcastmem(SHMEM_TEAM_WORLD, o->dest, o->source, o->bytes, root_of(o));
}
/* Every other PE contributes half as much, because programs with equal blocks call fcollect. */
static void call_collect(operation* o) {
  shmem_collectmem(SHMEM_TEAM_WORLD, o->dest, o->source, shmem_my_pe() % 2 == 0 ? o->bytes : o->bytes / 2);
}
static void call_fcollect(operation* o) { shmem_fcollectmem(SHMEM_TEAM_WORLD, o->dest, o->source, o->bytes); }
static void call_alltoall(operation* o) { shmem_alltoallmem(SHMEM_TEAM_WORLD, o->dest, o->source, o->bytes); }
static void call_alltoalls(operation* o) { shmem_alltoallsmem(SHMEM_TEAM_WORLD, o->dest, o->source, 1, 1, o->bytes); }
static void call_reduce(operation* o) {
  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, (double*)o->dest, (double*)o->source, o->bytes / sizeof(double));
}
static void call_inscan(operation* o) {
  shmem_double_sum_inscan(SHMEM_TEAM_WORLD, (double*)o->dest, (double*)o->source, o->bytes / sizeof(double));
}
static void call_exscan(operation* o) {
  shmem_double_sum_exscan(SHMEM_TEAM_WORLD, (double*)o->dest, (double*)o->source, o->bytes / sizeof(double));
}
static void call_alltoallv(operation* o) {
  shmemx_alltoallvmem(SHMEM_TEAM_WORLD, o->dest, o->counts, o->places, o->source, o->counts, o->places);
}
static void call_gather(operation* o) { shmemx_gathermem(SHMEM_TEAM_WORLD, o->dest, o->source, o->bytes, root_of(o)); }
static void call_gatherv(operation* o) {
  shmemx_gathervmem(SHMEM_TEAM_WORLD, o->dest, o->counts, o->places, o->source, o->bytes, root_of(o));
}
static void call_scatter(operation* o) {
  shmemx_scattermem(SHMEM_TEAM_WORLD, o->dest, o->source, o->bytes, root_of(o));
}
static void call_scatterv(operation* o) {
  shmemx_scattervmem(SHMEM_TEAM_WORLD, o->dest, o->bytes, o->source, o->counts, o->places, root_of(o));
}
static void call_reduce_to_root(operation* o) {
  shmemx_double_sum_reduce_to_root(SHMEM_TEAM_WORLD, (double*)o->dest, (double*)o->source, o->bytes / sizeof(double),
                                   root_of(o));
}
static void call_reduce_scatter(operation* o) {
  shmemx_double_sum_reduce_scatter(SHMEM_TEAM_WORLD, (double*)o->dest, (double*)o->source, o->bytes / sizeof(double));
}

static const struct collective {
  const char* name;
  void (*call)(operation* o);
  int dest_blocks_of_all, source_blocks_of_all; /* 1: the buffer holds a block for each PE */
} collectives[] = {{"sync", call_sync, 0, 0},
                   {"broadcast", call_broadcast, 0, 0},
                   {"collect", call_collect, 1, 0},
                   {"fcollect", call_fcollect, 1, 0},
                   {"alltoall", call_alltoall, 1, 1},
                   {"alltoalls", call_alltoalls, 1, 1},
                   {"reduce", call_reduce, 0, 0},
                   {"inscan", call_inscan, 0, 0},
                   {"exscan", call_exscan, 0, 0},
                   {"alltoallv", call_alltoallv, 1, 1},
                   {"gather", call_gather, 1, 0},
                   {"gatherv", call_gatherv, 1, 0},
                   {"scatter", call_scatter, 0, 1},
                   {"scatterv", call_scatterv, 0, 1},
                   {"reduce_to_root", call_reduce_to_root, 0, 0},
                   {"reduce_scatter", call_reduce_scatter, 0, 1}};

static const struct collective* find_collective(const char* name) {
  for (size_t i = 0; i < sizeof collectives / sizeof *collectives; ++i)
    if (strcmp(collectives[i].name, name) == 0) return &collectives[i];
  return NULL;
}

static int print_collectives(void) {
  for (size_t i = 0; i < sizeof collectives / sizeof *collectives; ++i) puts(collectives[i].name);
  return 0;
}

/* ---- clocks ---- */

static long question, answer; /* symmetric */
enum { trips = 50 };

static void answer_with_clock(int pe) {
  for (long i = 1; i <= trips; ++i) {
    shmem_long_wait_until(&question, SHMEM_CMP_EQ, i);
    shmem_long_p(&answer, now_ns(), pe);
  }
}

/* Assumes that PE 0 read its clock in the middle of the shortest round trip. */
static void ask_for_clock(void) {
  long shortest = 0;
  for (long i = 1; i <= trips; ++i) {
    const long asked = now_ns(), before = answer;
    shmem_long_p(&question, i, 0);
    shmem_long_wait_until(&answer, SHMEM_CMP_NE, before);
    const long trip = now_ns() - asked;
    if (i != 1 && trip >= shortest) continue;
    shortest = trip;
    ahead = asked + trip / 2 - answer;
  }
}

/* PEs that can map PE 0's memory share its clock. */
static void compare_clocks(void) {
  const int me = shmem_my_pe();
  for (int pe = 1; pe < shmem_n_pes(); ++pe) {
    question = answer = 0;
    shmem_barrier_all();
    if (me == 0 && shmem_ptr(&question, pe) == NULL) answer_with_clock(pe);
    if (me == pe && shmem_ptr(&question, 0) == NULL) ask_for_clock();
    shmem_barrier_all();
  }
}

/* ---- one point ---- */

static long entries[most_repeats], exits[most_repeats]; /* symmetric: every PE's own */

static int compare_longs(const void* a, const void* b) {
  const long x = *(const long*)a, y = *(const long*)b;
  return (x > y) - (x < y);
}

/* The lower quartile of the times from the first entry to the last exit of a call. Only PE 0 calls it. */
static double usual_span(int calls) {
  static long first[most_repeats], last[most_repeats], theirs[most_repeats];
  const size_t bytes = (size_t)calls * sizeof(long);
  memcpy(first, entries, bytes);
  memcpy(last, exits, bytes);
  for (int pe = 1; pe < shmem_n_pes(); ++pe) {
    shmem_getmem(theirs, entries, bytes, pe);
    for (int i = 0; i < calls; ++i)
      if (theirs[i] < first[i]) first[i] = theirs[i];
    shmem_getmem(theirs, exits, bytes, pe);
    for (int i = 0; i < calls; ++i)
      if (theirs[i] > last[i]) last[i] = theirs[i];
  }
  for (int i = 0; i < calls; ++i) last[i] -= first[i];
  qsort(last, (size_t)calls, sizeof *last, compare_longs);
  return (double)last[(calls - 1) / 4];
}

/* Programs usually write the source right before the call, so that it is in the writer's cache. A source that is only
 * used again would be in other caches. */
static void write_source(const struct collective* c, const operation* o) {
  const size_t blocks = c->source_blocks_of_all ? (size_t)shmem_n_pes() : 1;
  memset(o->source, o->call & 63, blocks * o->bytes);
}

/* A barrier before each call makes all PEs start together, and keeps a PE from writing a dest that another PE still
 * reads. Syncs are measured 32 in a row, because a sync after a barrier is too short to measure alone. */
static double measure(const struct collective* c, operation* o, int calls) {
  const int in_a_row = c->call == call_sync ? 32 : 1;
  for (int i = 0; i < calls; ++i) {
    o->call = i;
    write_source(c, o);
    shmem_barrier_all();
    entries[i] = common_ns();
    for (int k = 0; k < in_a_row; ++k) c->call(o);
    exits[i] = common_ns();
  }
  shmem_barrier_all();
  const double span = shmem_my_pe() == 0 ? usual_span(calls) / in_a_row : 0;
  shmem_barrier_all();
  return span;
}

/* The number of calls that `point_seconds` allow; all PEs use PE 0's number. */
static int calls_for(double span) {
  static int calls;
  if (shmem_my_pe() == 0) {
    const double wanted = span > 0 ? point_seconds * 1e9 / span : most_repeats;
    calls = wanted < least_repeats ? least_repeats : wanted > most_repeats ? most_repeats : (int)wanted;
  }
  shmem_barrier_all();
  const int agreed = shmem_int_g(&calls, 0);
  shmem_barrier_all();
  return agreed;
}

/* Tables for contiguous blocks of `bytes`: first the sizes, then the offsets. */
static size_t* equal_blocks(size_t n, size_t bytes) {
  size_t* table = malloc(2 * n * sizeof *table);
  if (table == NULL) fail("no memory", "block tables");
  for (size_t i = 0; i < n; ++i) {
    table[i] = bytes;
    table[n + i] = i * bytes;
  }
  return table;
}

static void measure_size(const char* id, const struct collective* c, size_t bytes) {
  const size_t n = (size_t)shmem_n_pes();
  operation o = {.bytes = bytes};
  o.dest = shmem_malloc((c->dest_blocks_of_all ? n * bytes : bytes) + 1);
  o.source = shmem_malloc((c->source_blocks_of_all ? n * bytes : bytes) + 1);
  if (o.dest == NULL || o.source == NULL) fail("no symmetric memory for", id);
  size_t* const blocks = equal_blocks(n, bytes);
  o.counts = blocks;
  o.places = blocks + n;
  const double rough = measure(c, &o, 2); /* also touches every page, and lets the library choose */
  const double span = measure(c, &o, calls_for(rough));
  if (shmem_my_pe() == 0) printf("%s %zu %.1f\n", id, bytes, span);
  free(blocks);
  shmem_free(o.source);
  shmem_free(o.dest);
}

/* ---- the jobs ---- */

static void run_job(char* line) {
  char* rest = NULL;
  const char *id = strtok_r(line, " \n", &rest), *name = strtok_r(NULL, " \n", &rest);
  char *setting = strtok_r(NULL, " \n", &rest), *sizes = strtok_r(NULL, " \n", &rest);
  if (sizes == NULL) fail("not a job", line);
  const struct collective* c = find_collective(name);
  if (c == NULL) fail("no such collective", name);
  char* value = strchr(setting, '=');
  if (value == NULL) fail("not a setting", setting);
  *value++ = '\0';
  setenv(setting, value, 1);
  shmem_init();
  compare_clocks();
  for (char* size = strtok_r(sizes, ",", &rest); size != NULL; size = strtok_r(NULL, ",", &rest))
    measure_size(id, c, strtoul(size, NULL, 10));
  fflush(stdout);
  shmem_finalize();
  unsetenv(setting);
}

static int run_jobs(const char* path) {
  char line[line_bytes];
  FILE* file = fopen(path, "r");
  if (file == NULL) fail("cannot read", path);
  while (fgets(line, sizeof line, file) != NULL) run_job(line);
  return fclose(file);
}

/* ---- the machine ---- */

static long flag; /* symmetric */

/* Half a round trip of one word between PE 0 and the last one. */
static double line_ns(long trips) {
  const int me = shmem_my_pe(), last = shmem_n_pes() - 1;
  const long before = flag;
  shmem_barrier_all();
  const long start = now_ns();
  for (long i = 1; i <= trips && (me == 0 || me == last); ++i) {
    if (me == last) shmem_long_wait_until(&flag, SHMEM_CMP_GE, before + i);
    shmem_long_p(&flag, before + i, last - me);
    if (me == 0) shmem_long_wait_until(&flag, SHMEM_CMP_GE, before + i);
  }
  const double ns = (double)(now_ns() - start) / (2.0 * (double)trips);
  shmem_barrier_all();
  return ns;
}

/* The time of one of many small messages from PE 0 to the last PE. */
static double message_ns(void) {
  enum { messages = 2000 };
  static long sink; /* symmetric */
  const long start = now_ns();
  for (long i = 0; i < messages && shmem_my_pe() == 0; ++i) shmem_long_p(&sink, i, shmem_n_pes() - 1);
  shmem_quiet();
  const double ns = (double)(now_ns() - start) / messages;
  shmem_barrier_all();
  return ns;
}

/* The time per byte of a get of 1 MiB from the last PE, which has just written it. */
static double copy_ns(void) {
  enum { bytes = 1 << 20, times = 20 };
  char *theirs = shmem_malloc(bytes), *mine = malloc(bytes);
  if (theirs == NULL || mine == NULL) fail("no memory", "1 MiB");
  double best = 1e9;
  memset(mine, 1, bytes);
  for (int i = 0; i < times; ++i) {
    memset(theirs, i, bytes);
    shmem_barrier_all();
    const long start = now_ns();
    shmem_getmem(mine, theirs, bytes, shmem_n_pes() - 1);
    const double ns = (double)(now_ns() - start) / bytes;
    if (ns < best) best = ns;
    shmem_barrier_all();
  }
  free(mine);
  shmem_free(theirs);
  return best;
}

static int measure_machine(void) {
  shmem_init();
  double line = 1e9;
  line_ns(100);
  for (int i = 0; i < 200; ++i) { /* short runs, some of which no other program disturbs */
    const double ns = line_ns(100);
    if (ns < line) line = ns;
  }
  double message = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double ns = message_ns();
    if (ns < message) message = ns;
  }
  const double copy = copy_ns();
  if (shmem_my_pe() == 0) printf("hop-ns %.1f\nmessage-ns %.1f\ncopy-ns %.4f\n", line, message, copy);
  shmem_finalize();
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: measure JOBS [MS] | machine | collectives\n");
    return 2;
  }
  if (argc == 3) point_seconds = 0.001 * atof(argv[2]);
  if (strcmp(argv[1], "machine") == 0) return measure_machine();
  if (strcmp(argv[1], "collectives") == 0) return print_collectives();
  return run_jobs(argv[1]);
}
