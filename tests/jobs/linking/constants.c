// A constant is in read-only memory: if peers would have to read it as a source, the library refuses it with a line.
#include <shmem.h>
#include <stdio.h>

static const long one = 1;
static long sum;

int main(int argc, char** argv) {
  (void)argv;
  shmem_init();
  printf("accessible: %d\n", shmem_addr_accessible(&one, 0));
  fflush(stdout);
  shmem_long_put(&sum, &one, 1, 0);  // the source of a put may be in any memory
  if (argc > 1)
    sum = shmem_long_g(&one, 0);
  else
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1);
  shmem_finalize();
  return 0;
}
