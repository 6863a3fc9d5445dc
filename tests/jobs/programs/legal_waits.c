/* Programs that wait for seconds and are right: something outside of the waits can still go on, and the detector of
 * deadlocks must see it.   legal_waits PATTERN MILLISECONDS; without arguments it lists "pattern PEs" line by line.
 * PE 0 prints "over" if the job comes to its end. */
#define _GNU_SOURCE /* clone */
#include "legal_waits.h"

#include <shmem.h>
#include <shmemx.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

unsigned stall_ms;
long flag;
long* heap_cell;

static int me;
static long turn, lock;

double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
void stall(void) {
  const double end = now() + 1e-3 * stall_ms;
  for (double left = end - now(); left > 0; left = end - now()) usleep((useconds_t)(1e6 * left) + 1);
}
static atomic_int raisers; /* threads in raise_flag */
void raise_flag(void) {
  atomic_fetch_add(&raisers, 1);
  for (int pe = 0; pe < shmem_n_pes(); pe++) shmem_long_p(&flag, 1, pe);
  shmem_quiet();
  atomic_fetch_sub(&raisers, 1);
}
/* A helper counts itself before it raises the flag that lets this thread go on. It must not be in the library when the
 * library ends. */
static void await_raisers(void) {
  while (atomic_load(&raisers) != 0) usleep(1000);
}
void command_later(const char* command) {
  char text[256];
  snprintf(text, sizeof text, "sleep %.3f; %s", 1e-3 * stall_ms, command);
  fflush(NULL);
  if (fork() != 0) return;
  execl("/bin/sh", "sh", "-c", text, (char*)NULL);
  _exit(1);
}
static void wait_for_flag(void) { shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1); }

/* ---- the other PEs wait for a late PE ---- */

static void late_barrier(void) {
  if (me == 0) stall();
  shmem_barrier_all();
}
static void late_lock(void) {
  if (me == 0) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (me == 0)
    stall();
  else
    shmem_set_lock(&lock);
  shmem_clear_lock(&lock);
}
static void late_team(void) {
  shmem_team_t others;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 1, shmem_n_pes() - 1, NULL, 0, &others);
  if (me == 0)
    stall();
  else
    shmem_team_sync(others);
  shmem_barrier_all();
}
static void late_turn(void) {
  if (me == 1) stall();
  if (me == 1) shmem_long_p(&turn, 1, 0);
  if (me == 0) shmem_long_wait_until(&turn, SHMEM_CMP_EQ, 1);
  shmem_barrier_all();
}
static void late_element(void) {
  static long elements[4];
  size_t found[4];
  if (me == 1) {
    stall();
    for (int pe = 0; pe < shmem_n_pes(); pe++) shmem_long_p(&elements[2], 5, pe);
  }
  shmem_long_wait_until_some(elements, 4, found, NULL, SHMEM_CMP_GT, 3);
}
static void late_signal(void) {
  static uint64_t signal;
  static long data;
  const long one = 1;
  if (me == 1) {
    stall();
    for (int pe = 0; pe < shmem_n_pes(); pe++) shmem_long_put_signal(&data, &one, 1, &signal, 1, SHMEM_SIGNAL_SET, pe);
  }
  shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 1);
}
static void reduce_in_background(int late_start) {
  static long sum, mine = 1;
  shmemx_request_t request;
  if (late_start && me == 0) stall();
  shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, &sum, &mine, 1, &request);
  if (!late_start && me == 0) stall();
  shmemx_coll_wait(&request);
}
static void late_request(void) { reduce_in_background(1); }
static void late_wait_for_request(void) { reduce_in_background(0); }
static void testing(void) {
  if (me == 0) {
    stall();
    raise_flag();
  }
  while (!shmem_long_test(&flag, SHMEM_CMP_EQ, 1)) usleep(100000);
}
static void late_finalize(void) {
  if (me == 0) stall();
}
static void late_second_init(void) {
  shmem_finalize();
  if (me == 0) stall();
  shmem_init();
}

/* ---- */

static const struct pattern of_the_library[] = {
    {"late-barrier", .all = late_barrier},
    {"late-lock", .all = late_lock},
    {"late-team", .all = late_team},
    {"late-turn", .all = late_turn},
    {"late-element", .all = late_element},
    {"late-signal", .all = late_signal},
    {"late-request", .all = late_request},
    {"late-wait-for-request", .all = late_wait_for_request},
    {"testing", .all = testing},
    {"late-finalize", .all = late_finalize},
    {"late-second-init", .all = late_second_init},
    {"late-init", .all = shmem_barrier_all},
    {0},
};
static const struct pattern* const tables[] = {of_the_library, of_the_first_thread, of_helpers, of_the_kernel};
enum { n_tables = sizeof tables / sizeof tables[0] };

static const struct pattern* find(const char* name) {
  static const struct pattern for_ever = {"for-ever", .all = wait_for_flag}; /* not listed: it is a deadlock */
  if (strcmp(name, for_ever.name) == 0) return &for_ever;
  for (int i = 0; i < n_tables; i++)
    for (const struct pattern* p = tables[i]; p->name != NULL; p++)
      if (strcmp(p->name, name) == 0) return p;
  fprintf(stderr, "legal_waits: no pattern '%s'\n", name);
  exit(2);
}

/* A PE that waits while its own helper can act needs no other PE. */
static void list(void) {
  for (int i = 0; i < n_tables; i++)
    for (const struct pattern* p = tables[i]; p->name != NULL; p++)
      printf("%s %d\n", p->name, p->first_returns ? 1 : 2);
}

int main(int argc, char** argv) {
  if (argc != 3) return list(), 0;
  const struct pattern* p = find(argv[1]);
  stall_ms = (unsigned)atoi(argv[2]);
  const char* number = getenv("OSHEN_PE");
  if (strcmp(p->name, "late-init") == 0 && number != NULL && strcmp(number, "0") == 0) stall();
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  me = shmem_my_pe();
  heap_cell = shmem_calloc(1, sizeof(long));
  if (p->first != NULL && me == 0) p->first();
  if (p->all != NULL)
    p->all();
  else
    wait_for_flag();
  await_raisers();
  shmem_barrier_all();
  if (me == 0) puts("over");
  shmem_finalize();
  return 0;
}
