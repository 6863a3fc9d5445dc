// shmemx_team_barrier completes the caller's puts and synchronises the team: the other PEs need no fence and no wait.
// @extension
#include <shmemx.h>

#include "symmetric.h"
#include "teams.h"

enum { ROUNDS = 200, BLOCK = 1000 };

static long* inbox;
static long value[BLOCK];

static void check_team(shmem_team_t team, const char* shape) {
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
  const int next = world_pe(team, (me + 1) % n);
  for (long round = 1; round <= ROUNDS; round++) {
    for (size_t i = 0; i < BLOCK; i++) value[i] = round * 100 + me;
    shmem_long_put_nbi(inbox, value, BLOCK, next);
    CHECK(shmemx_team_barrier(team) == 0, "on %s", shape);
    const long want = round * 100 + (me + n - 1) % n;
    CHECK(inbox[0] == want && inbox[BLOCK - 1] == want, "on %s: %ld and %ld, not %ld", shape, inbox[0],
          inbox[BLOCK - 1], want);
    shmem_team_sync(team);
  }
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    inbox = memory_take(kind, BLOCK * sizeof(long));
    for_each_team(check_team);
    memory_give_back(kind, inbox);
  }
  shmem_finalize();
  return 0;
}
