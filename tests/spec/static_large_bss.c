// Large static arrays are symmetric, too, and cost memory only where they are touched.
#include <sys/resource.h>
#include "check.h"

enum { mebibytes = 256 };
static char large[(size_t)mebibytes << 20];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  const size_t last = sizeof large - 1;
  shmem_char_p(&large[last], (char)(me + 1), right);
  shmem_char_p(&large[last / 2], (char)(me + 2), right);
  shmem_barrier_all();
  CHECK(large[last] == left + 1 && large[last / 2] == left + 2, "%d, %d", large[last], large[last / 2]);
  CHECK(large[1] == 0 && large[last - 1] == 0, "the rest is not zero");
  shmem_finalize();
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  // The other half leaves room for network libraries.
  CHECK(usage.ru_maxrss < mebibytes * 1024 / 2, "%ld KiB resident", usage.ru_maxrss);
  CHECK(large[last] == left + 1, "lost by finalize: %d", large[last]);
  return 0;
}
