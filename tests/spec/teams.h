// The shapes of teams that collectives must support: for_each_team(body) runs `body` on each of them.
//
// PEs outside a team take part in its creation, because a split is collective over the parent, and then skip it.
#pragma once

#include "check.h"

typedef void team_body(shmem_team_t team, const char* shape);

// Makes the strided team of the world; SHMEM_TEAM_INVALID if this PE is not a member.
static inline shmem_team_t world_split(int start, int stride, int size) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  const int status = shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &team);
  CHECK(status == 0, "split_strided(%d, %d, %d) returned %d", start, stride, size, status);
  return team;
}

static inline void run_on_split(int start, int stride, int size, team_body* body, const char* shape) {
  shmem_team_t team = world_split(start, stride, size);
  shmem_barrier_all();  // a body may reuse memory to which other PEs wrote in the body before
  if (team == SHMEM_TEAM_INVALID) return;
  body(team, shape);
  shmem_team_destroy(team);
}

static inline void for_each_team(team_body* body) {
  const int n = shmem_n_pes();
  body(SHMEM_TEAM_WORLD, "the world");
  shmem_barrier_all();
  body(SHMEM_TEAM_SHARED, "the shared team");
  run_on_split(0, 1, n, body, "a copy of the world");
  run_on_split(n - 1, -1, n, body, "the world reversed");
  run_on_split(0, 2, (n + 1) / 2, body, "the even PEs");
  if (n > 1) run_on_split(1, 1, n - 1, body, "all but PE 0");
  run_on_split(n - 1, 0, 1, body, "the last PE alone");
  shmem_barrier_all();
}

// World number of member `pe` of `team`.
static inline int world_pe(shmem_team_t team, int pe) { return shmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD); }
