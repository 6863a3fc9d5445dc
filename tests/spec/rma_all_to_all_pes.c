// Every PE reaches every PE, itself included, with each of put, get, p and g.
#include "symmetric.h"

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    long* by_put = memory_take(kind, (size_t)n * sizeof(long));
    long* by_p = memory_take(kind, (size_t)n * sizeof(long));
    const long mine = 1000 + me;
    for (int pe = 0; pe < n; pe++) {
      shmem_long_put(&by_put[me], &mine, 1, pe);
      shmem_long_p(&by_p[me], mine, pe);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < n; pe++) {
      CHECK(by_put[pe] == 1000 + pe, "put of PE %d brought %ld", pe, by_put[pe]);
      CHECK(by_p[pe] == 1000 + pe, "p of PE %d brought %ld", pe, by_p[pe]);
      long got = 0;
      shmem_long_get(&got, &by_put[me], 1, pe);
      CHECK(got == mine, "get from PE %d brought %ld", pe, got);
      got = shmem_long_g(&by_p[pe], pe);
      CHECK(got == 1000 + pe, "g from PE %d brought %ld", pe, got);
    }
    memory_give_back(kind, by_p);
    memory_give_back(kind, by_put);
  }
  shmem_finalize();
  return 0;
}
