// Transfers that end with the heap's last byte are right. One element more gives an error line.
// @extension
// @run pes=1,2,3 SHMEM_SYMMETRIC_SIZE=1M within
// @run pes=2 SHMEM_SYMMETRIC_SIZE=1M iput -> fails /shmem_long_iput: dest = .* exceed the symmetric heap/
// @run pes=2 SHMEM_SYMMETRIC_SIZE=1M iget -> fails /shmem_long_iget: source = .* exceed the symmetric heap/
//
// @run pes=2 SHMEM_SYMMETRIC_SIZE=1M put -> fails /shmem_long_put: dest = .* exceed the symmetric heap/
// @run pes=2 SHMEM_SYMMETRIC_SIZE=1M p -> fails /shmem_long_p: dest = .*not a symmetric address/
#include "check.h"

enum { bytes = 1 << 20, count = 5, stride = 7 };

int main(int argc, char** argv) {
  shmem_init();
  CHECK(argc == 2, "usage: rma_heap_end WHAT");
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  long* all = shmem_malloc(bytes);
  CHECK(all != NULL, "the whole heap");
  long* end = all + bytes / sizeof(long);
  long* strided = end - ((count - 1) * stride + 1);
  long mine[count], got[count];
  for (int i = 0; i < count; i++) mine[i] = 100 * me + i;
  if (!strcmp(argv[1], "iput")) shmem_long_iput(strided + 1, mine, stride, 1, count, right);
  if (!strcmp(argv[1], "iget")) shmem_long_iget(got, strided + 1, 1, stride, count, right);
  if (!strcmp(argv[1], "put")) shmem_long_put(end - 1, mine, 2, right);
  if (!strcmp(argv[1], "p")) shmem_long_p(end, 1, right);

  shmem_long_iput(strided, mine, stride, 1, count, right);
  shmem_barrier_all();
  for (int i = 0; i < count; i++)
    CHECK(strided[i * stride] == 100 * left + i, "iput: element %d is %ld", i, strided[i * stride]);
  shmem_long_iget(got, strided, 1, stride, count, right);
  for (int i = 0; i < count; i++) CHECK(got[i] == 100 * me + i, "iget: element %d is %ld", i, got[i]);
  shmem_barrier_all();
  shmem_long_put(end - count, mine, count, right);
  shmem_fence();
  shmem_long_p(end - 1, -me, right);
  shmem_barrier_all();
  CHECK(end[-count] == 100 * left && end[-1] == -left, "put: %ld, %ld", end[-count], end[-1]);
  shmem_finalize();
  return 0;
}
