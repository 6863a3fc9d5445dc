#include "allocation/team_memory.hpp"
#include "api/handle.hpp"
#include "coll/run/run.hpp"
#include "coll/team/form.hpp"

namespace oshen::api {
namespace {

// The arguments of one new team, and the names of its two values.
struct team_request {
  const shmem_team_config_t* requested;
  long mask;
  const char* mask_name = "config_mask";
  const char* contexts_name = "config->num_contexts";
};

// Without the bit in the mask, the standard's default is 0 contexts. The PEs of a new team must give the same
// configuration; those of the parent need not (OpenSHMEM 1.6, shmem_team_split_2d).
void configure(const char* routine, team* t, const team_request& c) {
  if (t == nullptr) return;
  const long selected = c.mask & SHMEM_TEAM_NUM_CONTEXTS;
  t->num_contexts = selected != 0 && c.requested != nullptr ? c.requested->num_contexts : 0;
  if (!t->home->config.check) return;
  const coll::named_value given[] = {{c.mask_name, selected}, {c.contexts_name, t->num_contexts}};
  coll::compare_values({t, routine}, given, 2, "new team");
}

// The PEs of the parent must give the same values.
void check_split(const char* routine, team& parent, const coll::named_value* given, int n) {
  if (parent.home->config.check) coll::compare_values({&parent, routine}, given, n, "parent team");
}

}  // namespace

int team_my_pe(const char* routine, shmem_team_t team) {
  const oshen::team* t = team_or_none(team, routine);
  return t != nullptr ? t->my_pe : -1;
}

int team_n_pes(const char* routine, shmem_team_t team) {
  const oshen::team* t = team_or_none(team, routine);
  return t != nullptr ? t->n_pes : -1;
}

int team_get_config(const char* routine, shmem_team_t team, long config_mask, shmem_team_config_t* config) {
  const oshen::team* t = team_or_none(team, routine);
  if (t == nullptr) return 1;
  if ((config_mask & SHMEM_TEAM_NUM_CONTEXTS) == 0) return 0;
  if (config == nullptr) return 1;
  config->num_contexts = t->num_contexts;
  return 0;
}

int team_translate_pe(const char* routine, shmem_team_t src_team, int src_pe, shmem_team_t dest_team) {
  const team* from = team_or_none(src_team, routine);
  const team* to = team_or_none(dest_team, routine);
  if (from == nullptr || to == nullptr || src_pe < 0 || src_pe >= from->n_pes) return -1;
  const int pe = from->world_pe(src_pe);
  return coll::membership{to->n_pes, to->start, to->stride, to->list}.find(pe);
}

// NOLINTNEXTLINE(readability-function-size): the parameters of the public routine
int team_split_strided(const char* routine, shmem_team_t parent_team, int start, int stride, int size,
                       const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team) {
  team* parent = team_or_none(parent_team, routine);
  *new_team = SHMEM_TEAM_INVALID;
  if (parent == nullptr) return 1;
  const coll::named_value triplet[] = {{"start", start}, {"stride", stride}, {"size", size}};
  check_split(routine, *parent, triplet, 3);
  team* fresh = nullptr;
  const int result = coll::split_strided({parent, routine}, start, stride, size, fresh);
  configure(routine, fresh, {config, config_mask});
  *new_team = handle_of(fresh);
  return result;
}

// NOLINTNEXTLINE(readability-function-size): the parameters of the public routine
int team_split_2d(const char* routine, shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config,
                  long xaxis_mask, shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config, long yaxis_mask,
                  shmem_team_t* yaxis_team) {
  team* parent = team_or_none(parent_team, routine);
  *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
  if (parent == nullptr) return 1;
  const coll::named_value range[] = {{"xrange", xrange}};
  check_split(routine, *parent, range, 1);
  team *x = nullptr, *y = nullptr;
  const int result = coll::split_2d({parent, routine}, xrange, x, y);
  configure(routine, x, {xaxis_config, xaxis_mask, "xaxis_mask", "xaxis_config->num_contexts"});
  configure(routine, y, {yaxis_config, yaxis_mask, "yaxis_mask", "yaxis_config->num_contexts"});
  *xaxis_team = handle_of(x);
  *yaxis_team = handle_of(y);
  return result;
}

// NOLINTNEXTLINE(readability-function-size): the parameters of the public routine
int team_split_color(const char* routine, shmem_team_t parent_team, int color, int key,
                     const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team) {
  team* parent = team_or_none(parent_team, routine);
  *new_team = SHMEM_TEAM_INVALID;
  if (parent == nullptr) return 1;
  check_split(routine, *parent, nullptr, 0);
  team* fresh = nullptr;
  const int result = coll::split_color({parent, routine}, color, key, fresh);
  configure(routine, fresh, {config, config_mask});
  *new_team = handle_of(fresh);
  return result;
}

int team_create_from_list(const char* routine, const int* pes, int n, shmem_team_t* team) {
  oshen::team* fresh = nullptr;
  const int result = coll::create_from_list({&require_world(routine).team_world, routine}, pes, n, fresh);
  *team = handle_of(fresh);
  return result;
}

void team_destroy(const char* routine, shmem_team_t team) {
  oshen::team* t = team_or_none(team, routine);
  if (t == nullptr) return;
  if (t == &t->home->team_world || t == &t->home->team_shared)
    op::bad_argument(in_default(routine), "team: the predefined teams cannot be destroyed");
  free_blocks_of({t, routine});
  coll::dissolve(*t, routine);
}

}  // namespace oshen::api
