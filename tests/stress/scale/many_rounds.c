// Alltoalls whose schedules have more rounds than a team workspace has flags, one after another without a sync, on all
// PEs and on the PEs with even numbers. The environment selects the schedule.
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { calls = 4, elements = 5 };

static shmem_team_t team;
static int me, n;

static int value(int from, int to, int call, int i) { return ((from * 1024 + to) * calls + call) * elements + i; }

static void expect(const char* what, int found, int from, int call, int i) {
  const int wanted = value(from, me, call, i);
  if (found == wanted) return;
  fprintf(stderr, "PE %d of %d: %s, call %d: element %d from PE %d is %d, not %d\n", me, n, what, call, i, from, found,
          wanted);
  shmem_global_exit(1);
}

static void run_on(shmem_team_t members, int* dest, int* source) {
  team = members;
  me = shmem_team_my_pe(team);
  n = shmem_team_n_pes(team);
  const int all = n * elements;
  for (int call = 0; call < calls; call++)
    for (int k = 0; k < all; k++) source[call * all + k] = value(me, k / elements, call, k % elements);
  memset(dest, 0xff, (size_t)(3 * calls * all) * sizeof(int));
  shmem_team_sync(team);
  int* spread = dest + calls * all;  // every second element
  for (int call = 0; call < calls; call++) {
    const int at = call * all;
    if (shmem_int_alltoall(team, dest + at, source + at, elements) != 0 ||
        shmem_int_alltoalls(team, spread + 2 * at, source + at, 2, 1, elements) != 0)
      shmem_global_exit(2);
  }
  for (int call = 0; call < calls; call++)
    for (int k = 0; k < all; k++) {
      expect("alltoall", dest[call * all + k], k / elements, call, k % elements);
      expect("alltoalls", spread[2 * (call * all + k)], k / elements, call, k % elements);
    }
}

int main(void) {
  shmem_init();
  const size_t blocks = (size_t)shmem_n_pes() * calls * elements;
  int* source = shmem_malloc(blocks * sizeof *source);
  int* dest = shmem_malloc(3 * blocks * sizeof *dest);
  run_on(SHMEM_TEAM_WORLD, dest, source);
  shmem_team_t half;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (shmem_n_pes() + 1) / 2, NULL, 0, &half);
  if (half != SHMEM_TEAM_INVALID) run_on(half, dest, source);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("many rounds of %d PEs are right\n", shmem_n_pes());
  shmem_finalize();
  return 0;
}
