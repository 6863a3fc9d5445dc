/* into_one PE: all other PEs put a word to this PE, which only waits for them. */
#include <shmem.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int target = atoi(argv[1]);
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  uint64_t* arrived = shmem_calloc((size_t)n, sizeof *arrived);
  if (me != target) {
    shmem_uint64_p(arrived + me, 1, target);
    shmem_quiet();
  } else {
    for (int pe = 0; pe < n; ++pe)
      if (pe != me) shmem_uint64_wait_until(arrived + pe, SHMEM_CMP_EQ, 1);
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
