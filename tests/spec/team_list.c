// Extension: shmemx_team_create_from_list makes a team of any PEs in any order; only these PEs call it.
// @since 1.6
// @extension
#include <shmemx.h>
#include "check.h"

static int mine, all[64];

static int place(const int* pes, int n, int pe) {
  for (int i = 0; i < n; i++)
    if (pes[i] == pe) return i;
  return -1;
}

static void check_list(const int* pes, int n) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  const int me = shmem_my_pe(), at = place(pes, n, me);
  shmem_barrier_all();  // the next round writes `all` again
  if (at < 0) return;
  CHECK(shmemx_team_create_from_list(pes, n, &team) == 0, "a list of %d", n);
  CHECK(shmem_team_my_pe(team) == at && shmem_team_n_pes(team) == n, "I am %d of %d", shmem_team_my_pe(team),
        shmem_team_n_pes(team));
  mine = me;
  CHECK(shmem_int_fcollect(team, all, &mine, 1) == 0, "fcollect");
  for (int i = 0; i < n; i++) CHECK(all[i] == pes[i], "member %d is PE %d", i, all[i]);
  // A list team can be split like any other.
  shmem_team_t pair;
  CHECK(shmem_team_split_strided(team, n - 1, -1, n > 1 ? 2 : 1, NULL, 0, &pair) == 0, "split");
  if (pair != SHMEM_TEAM_INVALID)
    CHECK(shmem_team_translate_pe(pair, 0, SHMEM_TEAM_WORLD) == pes[n - 1], "reversed pair");
  shmem_team_destroy(pair);
  shmem_team_destroy(team);
}

static void check_bad_lists(void) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  const int twice[2] = {me, me}, unknown[2] = {me, n}, negative[2] = {-1, me}, other[1] = {(me + 1) % n};
  shmem_team_t team = SHMEM_TEAM_WORLD;
  CHECK(shmemx_team_create_from_list(twice, 2, &team) != 0 && team == SHMEM_TEAM_INVALID, "twice");
  CHECK(shmemx_team_create_from_list(unknown, 2, &team) != 0 && team == SHMEM_TEAM_INVALID, "unknown");
  CHECK(shmemx_team_create_from_list(negative, 2, &team) != 0 && team == SHMEM_TEAM_INVALID, "negative");
  if (n > 1) CHECK(shmemx_team_create_from_list(other, 1, &team) != 0 && team == SHMEM_TEAM_INVALID, "not in it");
}

int main(void) {
  shmem_init();
  const int n = shmem_n_pes();
  int pes[64];
  for (int i = 0; i < n; i++) pes[i] = (i * 3 + 1) % n;
  if (n % 3) check_list(pes, n);  // a permutation only then
  const int irregular[4] = {4, 0, 1, 3};
  if (n >= 5) check_list(irregular, 4);
  const int last[1] = {n - 1};
  check_list(last, 1);
  check_bad_lists();
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
