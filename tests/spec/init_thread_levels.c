// SHMEM_INIT_THREAD returns 0 and provides a level; query_thread returns the same level at any time.
// @run 0
// @run 1
// @run 2
// @run 3
#include "check.h"

int main(int argc, char** argv) {
  _Static_assert(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED, "increasing");
  _Static_assert(SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED, "increasing");
  _Static_assert(SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE, "increasing");
  static const int levels[] = {SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED,
                               SHMEM_THREAD_MULTIPLE};
  const int requested = levels[argc > 1 ? atoi(argv[1]) : 0];
  int provided = -1, queried = -1;
  CHECK(shmem_init_thread(requested, &provided) == 0, "init_thread(%d)", requested);
  CHECK(provided >= requested && provided <= SHMEM_THREAD_MULTIPLE, "%d for %d", provided, requested);
  shmem_query_thread(&queried);
  CHECK(queried == provided, "query_thread says %d, not %d", queried, provided);
#if SPEC_AT_LEAST(1, 6)
  int again = -1;
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &again) == 0, "a nested init");
  shmem_query_thread(&queried);
  CHECK(queried == again, "query_thread says %d, the nested init %d", queried, again);
  shmem_finalize();
#endif
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
