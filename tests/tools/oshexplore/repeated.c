/* Two orders, of a program that depends on something else than the order: a number, and a clock. */
#define _GNU_SOURCE
#include <assert.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long x, y;
static char big[9 << 20];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
#if defined(NUMBER)
  printf("%d\n", (int)getpid());
#elif defined(STEPS)
  unsigned char n = 0;
  assert(getrandom(&n, 1, 0) == 1);
  for (; n > 0; n--) shmem_fence(); /* steps that no other step conflicts with */
#elif defined(CLOCK)
  srand((unsigned)time(NULL));
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  sleep(1000);
  clock_gettime(CLOCK_MONOTONIC, &after);
  assert(after.tv_sec - before.tv_sec >= 1000);
  for (int i = rand() % 7; i > 0; i--) shmem_fence();
  printf("%d %ld.%09ld\n", rand(), (long)after.tv_sec, after.tv_nsec);
#elif defined(CHILD)
  if (fork() == 0) {
    shmem_long_p(&y, 1, 0);
    exit(0);
  }
  wait(NULL);
#elif defined(QUIET_CHILD)
  if (fork() == 0) {
    y = 2;
    exit(0);
  }
  wait(NULL);
  assert(y == 0);
#elif defined(LONG)
  shmem_putmem(big, big, sizeof big, 1 - me);
#endif
  (void)big, (void)y;
  shmem_long_atomic_fetch_inc(&x, 0);
  shmem_finalize();
  return 0;
}
