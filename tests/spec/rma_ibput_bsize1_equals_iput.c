// A block size of 1 makes ibput an iput, and ibget an iget.
// @since 1.6
#include "pattern.h"
#include "symmetric.h"

enum { elements = 4096 };

static void check_strides(int kind, ptrdiff_t dst, ptrdiff_t sst, size_t count) {
  const int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
  int* by_iput = memory_take(kind, elements * sizeof(int));
  int* by_ibput = memory_take(kind, elements * sizeof(int));
  int* source = memory_take(kind, elements * sizeof(int));
  static int by_iget[elements], by_ibget[elements];

  pattern_fill(source, elements * sizeof(int), (unsigned)me);
  shmem_barrier_all();
  shmem_int_iput(by_iput, source, dst, sst, count, right);
  shmem_int_ibput(by_ibput, source, dst, sst, 1, count, right);
  memset(by_iget, 0, sizeof by_iget);
  memset(by_ibget, 0, sizeof by_ibget);
  shmem_int_iget(by_iget, source, dst, sst, count, right);
  shmem_int_ibget(by_ibget, source, dst, sst, 1, count, right);
  shmem_barrier_all();
  CHECK(memcmp(by_iput, by_ibput, elements * sizeof(int)) == 0, "puts differ, strides %td %td", dst, sst);
  CHECK(memcmp(by_iget, by_ibget, sizeof by_iget) == 0, "gets differ, strides %td %td", dst, sst);
  CHECK(count == 0 || by_iput[0] != 0, "nothing was put");
  memory_give_back(kind, source);
  memory_give_back(kind, by_ibput);
  memory_give_back(kind, by_iput);
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS; kind++)
    for (ptrdiff_t dst = 1; dst <= 5; dst += 2)
      for (ptrdiff_t sst = 1; sst <= 4; sst++) check_strides(kind, dst, sst, 800);
  shmem_finalize();
  return 0;
}
