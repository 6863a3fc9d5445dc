/* PE 1 adds nothing to a collect, which tells of its store all the same. With WRONG: a scan, in which PE 0 comes first.
 */
#include <shmem.h>
static long x, mine, all[2];
int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  if (me == 1) x = 1;
#ifdef WRONG
  shmem_long_sum_inscan(SHMEM_TEAM_WORLD, all, &mine, 1);
#else
  shmem_long_collect(SHMEM_TEAM_WORLD, all, &mine, me == 0);
#endif
  if (me == 0) mine = shmem_long_g(&x, 1);
  shmem_finalize();
  return 0;
}
