#include <shmem.h>
static long a, b, d;
int main(void) {
  shmem_init();
  if (shmem_my_pe()) {
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &a, &b, 1, 0);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &d, &b, 1);
  } else {
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &d, &b, 1);
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &a, &b, 1, 0);
  }
  shmem_finalize();
  return 0;
}
