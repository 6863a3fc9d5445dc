// SHMEM_TEAM_PTR is shmem_ptr with the team's PE numbers.
// @since 1.6
#include "teams.h"

static int data = 1;
static int* heap;

static void check_team(shmem_team_t team, const char* shape) {
  for (int i = 0; i < shmem_team_n_pes(team); i++) {
    const int pe = world_pe(team, i);
    CHECK(shmem_team_ptr(team, heap, i) == shmem_ptr(heap, pe), "%s: heap of member %d", shape, i);
    CHECK(shmem_team_ptr(team, &data, i) == shmem_ptr(&data, pe), "%s: data of member %d", shape, i);
  }
  CHECK(shmem_team_ptr(team, heap, shmem_team_my_pe(team)) == heap, "%s: my own", shape);
}

int main(void) {
  shmem_init();
  heap = shmem_malloc(sizeof(int));
  for_each_team(check_team);
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
