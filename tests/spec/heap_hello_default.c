// With no setting at all the heap holds at least 64 MiB per PE, and costs nothing until it is
// touched.
#include <sys/resource.h>
#include "check.h"

int main(void) {
  shmem_init();
  const size_t bytes = (size_t)64 << 20;
  unsigned char* block = shmem_malloc(bytes);
  CHECK(block != NULL, "64 MiB of the default heap");
  block[0] = block[bytes - 1] = (unsigned char)(shmem_my_pe() + 1);
  shmem_barrier_all();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  CHECK(shmem_uchar_g(&block[bytes - 1], right) == right + 1, "the last byte");
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 48 * 1024, "%ld KiB resident for two touched pages", usage.ru_maxrss);
  shmem_free(block);
  shmem_finalize();
  return 0;
}
