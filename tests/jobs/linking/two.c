// Two programs of one job: compiled with -DORDER=1 and 2, they have the same variables in different order.
// `heap` exchanges data through the heap, which works; `static` puts to a variable, which must be refused.
#include <shmem.h>
#include <stdio.h>
#include <string.h>

#if ORDER == 1
long alpha = 1, beta = 2;
static const char* const name = "first";
#else
long beta = 2, alpha = 1;
static const char* const name = "other";
#endif

int main(int argc, char** argv) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  long* inbox = shmem_calloc(1, sizeof *inbox);
  const int use_static = argc > 1 && strcmp(argv[1], "static") == 0;
  shmem_long_p(use_static ? &alpha : inbox, 77 + me, next);
  shmem_barrier_all();
  printf("%s: inbox %ld alpha %ld beta %ld\n", name, *inbox - (me + n - 1) % n, alpha, beta);
  shmem_finalize();
  return 0;
}
