/* sink STRATEGY RUNS: PE 0 only receives, from all others, which also exchange with one another. So flags of one run
   can still be under way when the next run raises them. */
#include <oshen/exchange.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_pes = 8, block = 8 };

static oshen_message_t message_with(int pe) {
  return (oshen_message_t){.peer = pe,
                           .bytes = block * sizeof(double),
                           .box = {(size_t)pe * block * sizeof(double),
                                   sizeof(double),
                                   {block, 1, 1},
                                   {sizeof(double), block * sizeof(double), block * sizeof(double)}}};
}

static int wrong_values(const double* out, int run, int me, int n) {
  int wrong = 0;
  for (int pe = 1; pe < n; pe++)
    for (int i = 0; i < block && pe != me; i++) wrong += out[block * pe + i] != run + 1000.0 * pe;
  return wrong;
}

int main(int argc, char** argv) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), runs = argc > 2 ? atoi(argv[2]) : 300;
  oshen_arena_t* arena;
  oshen_group_t* group;
  oshen_arena_create(1 << 20, &arena);
  oshen_group_create(arena, SHMEM_TEAM_WORLD, &group);
  oshen_message_t sends[most_pes], receives[most_pes];
  int n_sends = 0, n_receives = 0;
  for (int pe = 0; pe < n; pe++) {
    if (pe == me) continue;
    if (me != 0) sends[n_sends++] = message_with(pe);
    if (pe != 0) receives[n_receives++] = message_with(pe);
  }
  const oshen_plan_attr_t attr = {.size = sizeof attr,
                                  .strategy = argc > 1 ? argv[1] : NULL,
                                  .sends = sends,
                                  .receives = receives,
                                  .n_sends = n_sends,
                                  .n_receives = n_receives};
  oshen_plan_t* plan;
  if (oshen_plan_create(group, &attr, &plan) != OSHEN_OK) shmem_global_exit(1);
  double in[most_pes * block], out[most_pes * block];
  int wrong = 0;
  for (int run = 0; run < runs; run++) {
    for (int i = 0; i < n * block; i++) in[i] = run + 1000.0 * me;
    oshen_plan_run(plan, in, out);
    wrong += wrong_values(out, run, me, n);
  }
  if (me == 0) printf("%s: %d runs, %d wrong values on PE 0\n", oshen_plan_strategy(plan), runs, wrong);
  if (wrong != 0) shmem_global_exit(1);
  shmem_finalize();
  return 0;
}
