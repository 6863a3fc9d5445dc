// Teams of random shape, and contexts on them.
#include <stdio.h>
#include <stdlib.h>
#include "contexts.h"
#ifdef OSHEN_VERSION_MAJOR
#include <shmemx.h>
#endif

struct team teams[most_teams];
int team_count;

static shmem_ctx_t own_context, private_context, team_contexts[most_teams];

int team_place(const struct team* team, int pe) {
  for (int i = 0; i < team->size; i++)
    if (team->members[i] == pe) return i;
  return -1;
}

static void must(int status, const char* call) {
  if (status == 0) return;
  fprintf(stderr, "PE %d: %s failed with %d\n", me, call, status);
  shmem_global_exit(1);
}

static void add_world(void) {
  struct team* team = &teams[team_count++];
  team->handle = SHMEM_TEAM_WORLD;
  team->size = n_pes;
  for (int i = 0; i < n_pes; i++) team->members[i] = i;
}

static const shmem_team_config_t one_context = {.num_contexts = 1};

// A random arithmetic progression of the parent's members, forwards or backwards.
static void add_split(const struct team* parent, struct random* r) {
  struct team* team = &teams[team_count++];
  const int start = random_int(r, parent->size);
  int stride = random_int(r, 2 * parent->size + 1) - parent->size, most = 1;
  while (stride != 0 && start + most * stride >= 0 && start + most * stride < parent->size) most++;
  team->size = 1 + random_int(r, most);
  if (team->size > 1 && stride == 0) team->size = 1;
  for (int i = 0; i < team->size; i++) team->members[i] = parent->members[start + i * stride];
  team->handle = SHMEM_TEAM_INVALID;
  if (team_place(parent, me) < 0) return;
  must(shmem_team_split_strided(parent->handle, start, stride, team->size, &one_context, SHMEM_TEAM_NUM_CONTEXTS,
                                &team->handle),
       "split_strided");
}

#ifdef OSHEN_VERSION_MAJOR
// Any PEs in any order.
static void add_list(struct random* r) {
  struct team* team = &teams[team_count++];
  for (int i = 0; i < n_pes; i++) team->members[i] = i;
  for (int i = 0; i < n_pes; i++) {
    const int other = random_int(r, n_pes), swapped = team->members[i];
    team->members[i] = team->members[other];
    team->members[other] = swapped;
  }
  team->size = 1 + random_int(r, n_pes);
  team->handle = SHMEM_TEAM_INVALID;
  if (team_place(team, me) < 0) return;
  must(shmemx_team_create_from_list(team->members, team->size, &team->handle), "team_create_from_list");
}
#endif

void teams_create(struct random* r) {
  team_count = 0;
  add_world();
  add_split(&teams[0], r);
  add_split(&teams[0], r);
  add_split(&teams[1], r);
#ifdef OSHEN_VERSION_MAJOR
  add_list(r);
  add_split(&teams[4], r);
#endif
}

void teams_destroy(void) {
  for (int t = team_count - 1; t > 0; t--) shmem_team_destroy(teams[t].handle);
}

void contexts_create(void) {
  must(shmem_ctx_create(0, &own_context), "ctx_create");
  must(shmem_ctx_create(SHMEM_CTX_PRIVATE, &private_context), "ctx_create");
  for (int t = 0; t < team_count; t++) {
    team_contexts[t] = SHMEM_CTX_INVALID;
    if (teams[t].handle != SHMEM_TEAM_INVALID && shmem_team_create_ctx(teams[t].handle, 0, &team_contexts[t]) != 0)
      must(1, "team_create_ctx");
  }
}

static void session(shmem_ctx_t ctx, struct random* r) {
  if (random_int(r, 2))
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  else
    shmem_ctx_session_stop(ctx);
}

void contexts_sessions(struct random* r) {
  session(SHMEM_CTX_DEFAULT, r);
  session(own_context, r);
  session(private_context, r);
  for (int t = 0; t < team_count; t++) session(team_contexts[t], r);
}

void contexts_quiet(void) {
  shmem_ctx_quiet(own_context);
  shmem_ctx_quiet(private_context);
  for (int t = 0; t < team_count; t++) shmem_ctx_quiet(team_contexts[t]);
}

void contexts_destroy(void) {
  shmem_ctx_destroy(own_context);
  shmem_ctx_destroy(private_context);
  for (int t = 0; t < team_count; t++) shmem_ctx_destroy(team_contexts[t]);
}

void plan_route(struct operation* op, struct random* r) {
  op->route = random_int(r, ROUTES);
  op->team = random_int(r, team_count);
  const struct team* team = &teams[op->team];
  if (op->route == ROUTE_TEAM && (team_place(team, op->pe) < 0 || team_place(team, op->target) < 0))
    op->route = ROUTE_OWN;
}

shmem_ctx_t route_context(const struct operation* op) {
  switch (op->route) {
    case ROUTE_OWN: return own_context;
    case ROUTE_PRIVATE: return private_context;
    case ROUTE_TEAM: return team_contexts[op->team];
    default: return SHMEM_CTX_DEFAULT;
  }
}

int route_pe(const struct operation* op) {
  return op->route == ROUTE_TEAM ? team_place(&teams[op->team], op->target) : op->target;
}

void route_fence(const struct operation* op) {
  if (op->route == ROUTE_NONE)
    shmem_fence();
  else
    shmem_ctx_fence(route_context(op));
}
