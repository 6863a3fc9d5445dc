// As many PEs as a machine can hold: every collective once on all PEs and once on every other PE, with a check of every
// element. PE 0 prints the time of each.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { elements = 3 };  // of one PE; an odd number, so that parts are uneven

static long *source, *dest;  // room for one block of `elements`, and of twice as many, for each PE
static shmem_team_t team;
static long me, n;
static const char* stage = "start";

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Element i of the block that PE `from` has for PE `to`.
static long value(long from, long to, long i) { return 1000000 * from + 10 * to + i + 1; }

static void expect(long found, long wanted, long at) {
  if (found == wanted) return;
  fprintf(stderr, "PE %ld of %ld: %s: element %ld is %ld, not %ld\n", me, n, stage, at, found, wanted);
  shmem_global_exit(1);
}

static void check(int failed) {
  if (failed == 0) return;
  fprintf(stderr, "PE %ld of %ld: %s failed\n", me, n, stage);
  shmem_global_exit(1);
}

// Makes all PEs ready: sources are filled, dests may be written.
static void begin(const char* name) {
  static double began;
  shmem_team_sync(team);
  if (me == 0 && began != 0) printf("%-10s %8.3f s\n", stage, now() - began);
  began = now();
  stage = name;
}

static void fill(long blocks) {
  for (long to = 0; to < blocks; ++to)
    for (long i = 0; i < elements; ++i) source[to * elements + i] = value(me, to, i);
  for (long i = 0; i < 2 * elements * n; ++i) dest[i] = -1;
}

static void move_data(void) {
  fill(1);
  begin("broadcast");
  const int root = (int)n - 1;
  check(shmem_long_broadcast(team, dest, source, elements, root));
  for (long i = 0; i < elements; ++i) expect(dest[i], value(root, 0, i), i);

  begin("fcollect");
  check(shmem_long_fcollect(team, dest, source, elements));
  for (long k = 0; k < elements * n; ++k) expect(dest[k], value(k / elements, 0, k % elements), k);

  begin("collect");  // PE p contributes p modulo 3 elements
  check(shmem_long_collect(team, dest, source, (size_t)(me % 3)));
  long at = 0;
  for (long from = 0; from < n; ++from)
    for (long i = 0; i < from % 3; ++i, ++at) expect(dest[at], value(from, 0, i), at);

  begin("alltoall");
  fill(n);
  shmem_team_sync(team);
  check(shmem_long_alltoall(team, dest, source, elements));
  for (long k = 0; k < elements * n; ++k) expect(dest[k], value(k / elements, me, k % elements), k);

  begin("alltoalls");  // to every other element
  check(shmem_long_alltoalls(team, dest, source, 2, 1, elements));
  for (long k = 0; k < elements * n; ++k) expect(dest[2 * k], value(k / elements, me, k % elements), k);
}

static void combine(void) {
  const long before = me * (me - 1) / 2, all = n * (n - 1) / 2;  // sums of PE numbers
  fill(1);
  begin("sum");
  check(shmem_long_sum_reduce(team, dest, source, elements));
  for (long i = 0; i < elements; ++i) expect(dest[i], 1000000 * all + n * (i + 1), i);
  begin("max");
  check(shmem_long_max_reduce(team, dest, source, elements));
  for (long i = 0; i < elements; ++i) expect(dest[i], value(n - 1, 0, i), i);
  begin("inscan");
  check(shmem_long_sum_inscan(team, dest, source, elements));
  for (long i = 0; i < elements; ++i) expect(dest[i], 1000000 * (before + me) + (me + 1) * (i + 1), i);
  begin("exscan");
  check(shmem_long_sum_exscan(team, dest, source, elements));
  for (long i = 0; i < elements; ++i) expect(dest[i], 1000000 * before + me * (i + 1), i);
  begin("end");
}

static void run_on(shmem_team_t members) {
  team = members;
  if (team == SHMEM_TEAM_INVALID) return;
  me = shmem_team_my_pe(team);
  n = shmem_team_n_pes(team);
  move_data();
  combine();
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);  // shows the progress even if the program hangs
  shmem_init();
  const size_t bytes = sizeof(long) * elements * (size_t)shmem_n_pes();
  source = shmem_malloc(bytes);
  dest = shmem_malloc(2 * bytes);
  if (source == NULL || dest == NULL) shmem_global_exit(2);
  run_on(SHMEM_TEAM_WORLD);
  shmem_barrier_all();

  shmem_team_t half = SHMEM_TEAM_INVALID;
  stage = "split";
  check(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (shmem_n_pes() + 1) / 2, NULL, 0, &half) != 0 &&
        shmem_my_pe() % 2 == 0);
  run_on(half);
  if (half != SHMEM_TEAM_INVALID) shmem_team_destroy(half);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("every collective of %d PEs is right\n", shmem_n_pes());
  shmem_finalize();
  return 0;
}
