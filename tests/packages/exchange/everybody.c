/* Every PE sends its number to every PE; PE 0 counts the numbers that arrived. */
#include <oshen/exchange.h>
#include <stdio.h>
#include <stdlib.h>

static oshen_message_t one_int(int peer, size_t offset) {
  const oshen_box_t box = {offset, sizeof(int), {1, 1, 1}, {sizeof(int), sizeof(int), sizeof(int)}};
  const oshen_message_t message = {peer, sizeof(int), box};
  return message;
}

int main(void) {
  oshen_arena_t* arena;
  oshen_group_t* group;
  oshen_plan_t* plan;
  oshen_plan_attr_t attr = {.size = sizeof attr};
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  oshen_message_t* sends = calloc((size_t)n, sizeof *sends);
  oshen_message_t* receives = calloc((size_t)n, sizeof *receives);
  int* numbers = calloc((size_t)n, sizeof *numbers);
  for (int i = 0; i < n; i++) {
    sends[i] = one_int(i, 0);
    receives[i] = one_int(i, (size_t)i * sizeof(int));
    numbers[i] = -1;
  }
  attr.sends = sends, attr.receives = receives, attr.n_sends = attr.n_receives = n;
  if (oshen_arena_create(1 << 20, &arena) != OSHEN_OK ||
      oshen_group_create(arena, SHMEM_TEAM_WORLD, &group) != OSHEN_OK ||
      oshen_plan_create(group, &attr, &plan) != OSHEN_OK)
    shmem_global_exit(1);
  oshen_plan_run(plan, &me, numbers);
  int heard = 0;
  for (int i = 0; i < n; i++) heard += numbers[i] == i;
  if (me == 0) printf("%d of %d\n", heard, n);
  oshen_plan_destroy(plan);
  oshen_group_destroy(group);
  oshen_arena_destroy(arena);
  free(numbers), free(receives), free(sends);
  shmem_finalize();
  return 0;
}
