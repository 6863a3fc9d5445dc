/* The first OpenSHMEM program: every PE puts its number into the next one's memory.
 *
 *     oshcc hello.c -o hello && oshrun -n 4 ./hello
 */
#include <shmem.h>
#include <stdio.h>

static int from_previous = -1; /* static data is symmetric: every PE can write to it */

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_int_p(&from_previous, me, (me + 1) % n);
  shmem_barrier_all();
  const int expected = (me + n - 1) % n;
  printf("hello from PE %d of %d: PE %d wrote to me\n", me, n, from_previous);
  shmem_finalize();
  return from_previous == expected ? 0 : 1;
}
