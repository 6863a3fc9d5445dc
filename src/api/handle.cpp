#include "api/handle.hpp"

#include <string.h>

#include "base/log.hpp"
#include "coll/team/form.hpp"

namespace oshen {

void bad_context(const char* routine, shmem_ctx_t ctx) {
  log::error("%s: ctx = %p: not a context, or already destroyed%s", routine, static_cast<void*>(ctx),
             ctx == SHMEM_CTX_INVALID ? " (SHMEM_CTX_INVALID: did its creation fail?)" : "");
  end_job(current_world, 1, false);
}

void bad_team(const char* routine, shmem_team_t team) {
  log::error(
      "%s: team = %p: not a team, or already destroyed%s", routine, static_cast<void*>(team),
      team == SHMEM_TEAM_INVALID ? " (SHMEM_TEAM_INVALID: this PE is not in the team, or its creation failed)" : "");
  end_job(current_world, 1, false);
}

coll::team_call of_team(shmem_team_t team, const char* routine) {
  if (current_world != nullptr && team == SHMEM_TEAM_WORLD) [[likely]]
    return {&current_world->team_world, routine};
  oshen::team* t = api::team_or_none(team, routine);
  if (t == nullptr) bad_team(routine, team);
  return {t, routine};
}

// A number that is the same on all PEs for one symmetric object, and never 0.
static std::uint64_t key_of(const void* object) {
  const context& c = default_context;
  const auto at = reinterpret_cast<std::uintptr_t>(object);
  return at - c.heap_start < c.heap_bytes ? (at - c.heap_start) * 2 + 3 : (at - c.data_start) * 2 + 2;
}

coll::team_call active_set(const char* routine, int PE_start, int logPE_stride, int PE_size, const long* pSync) {
  world& w = api::require_world(routine);
  const op::call_site here = in_default(routine);
  if (PE_start < 0 || PE_start >= w.n_pes)
    op::bad_argument(here, "PE_start = %d: expected 0 .. %d", PE_start, w.n_pes - 1);
  if (logPE_stride < 0 || logPE_stride > 30)
    op::bad_argument(here, "logPE_stride = %d: expected 0 .. 30", logPE_stride);
  const long long last = PE_start + (static_cast<long long>(PE_size) - 1) * (1LL << logPE_stride);
  if (PE_size < 1 || last >= w.n_pes)
    op::bad_argument(here, "PE_size = %d: PE %d + (PE_size - 1) * %lld must be one of %d PEs", PE_size, PE_start,
                     1LL << logPE_stride, w.n_pes);
  if (pSync == nullptr) op::bad_argument(here, "pSync = NULL: expected a symmetric array");
  static_cast<void>(op::own_slice(here, "pSync", pSync, sizeof(long)));
  const int distance = w.pe - PE_start;
  if (distance < 0 || distance % (1 << logPE_stride) != 0 || w.pe > last)
    op::bad_argument(here, "PE %d is not in the active set (PE_start %d, logPE_stride %d, PE_size %d)", w.pe, PE_start,
                     logPE_stride, PE_size);
  const bool threads = w.thread_level == SHMEM_THREAD_MULTIPLE;
  if (PE_size == w.n_pes && !threads) return {&w.team_world, routine};
  team* t = coll::for_active_set(w, PE_start, logPE_stride, PE_size, threads ? key_of(pSync) : 0, routine);
  if (t == nullptr) end_job(&w, 1, false);
  return {t, routine};
}

namespace api {

world& require_world(const char* routine) {
  if (current_world == nullptr) op::bad_pe(in_default(routine), 0);
  return *current_world;
}

team* team_or_none(shmem_team_t handle, const char* routine) {
  world& w = require_world(routine);
  if (handle == SHMEM_TEAM_INVALID) return nullptr;
  if (handle == SHMEM_TEAM_WORLD) return &w.team_world;
  if (handle == SHMEM_TEAM_SHARED) return &w.team_shared;
  team* t = w.teams.find(reinterpret_cast<std::uintptr_t>(handle));
  if (t == nullptr) bad_team(routine, handle);
  return t;
}

shmem_team_t handle_of(const team* t) {
  if (t == nullptr) return SHMEM_TEAM_INVALID;
  if (t == &t->home->team_world) return SHMEM_TEAM_WORLD;
  if (t == &t->home->team_shared) return SHMEM_TEAM_SHARED;
  return reinterpret_cast<shmem_team_t>(t->handle);
}

}  // namespace api
}  // namespace oshen
