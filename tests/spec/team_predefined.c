// SHMEM_TEAM_WORLD has all PEs in order, SHMEM_TEAM_SHARED those whose heap shmem_ptr can map. The three team handles
// and the two context handles are distinct.
// @since 1.5
#include "check.h"

int main(void) {
  shmem_init();
  CHECK(SHMEM_TEAM_WORLD != SHMEM_TEAM_SHARED, "world is shared");
  CHECK(SHMEM_TEAM_WORLD != SHMEM_TEAM_INVALID && SHMEM_TEAM_SHARED != SHMEM_TEAM_INVALID, "invalid");
  CHECK(SHMEM_CTX_DEFAULT != SHMEM_CTX_INVALID, "the default context is invalid");
  CHECK(shmem_team_my_pe(SHMEM_TEAM_WORLD) == shmem_my_pe(), "my PE in the world");
  CHECK(shmem_team_n_pes(SHMEM_TEAM_WORLD) == shmem_n_pes(), "PEs in the world");

  const int shared_n = shmem_team_n_pes(SHMEM_TEAM_SHARED);
  const int shared_me = shmem_team_my_pe(SHMEM_TEAM_SHARED);
  CHECK(shared_n >= 1 && shared_n <= shmem_n_pes(), "%d PEs share", shared_n);
  CHECK(shared_me >= 0 && shared_me < shared_n, "I am %d of the shared team", shared_me);
  int* heap = shmem_malloc(sizeof(int));
  for (int pe = 0; pe < shmem_n_pes(); pe++) {
    const int shared = shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED);
    CHECK((shared >= 0) == (shmem_ptr(heap, pe) != NULL), "PE %d: shared team and shmem_ptr disagree", pe);
  }
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
