// Wrappers of the extensions that are no families of types.
#include <dlfcn.h>
#include <pshmem.h>
#include <shmemx.h>

#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "exchanges.hpp"
#include "objects.hpp"
#include "sites.hpp"

using races::of_this_pe;
using races::started;

#define CALLER __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default")))
#define NEXT(function) reinterpret_cast<decltype(&(function))>(races_next(#function))

namespace {

std::uint32_t site_of_call(const char* routine, const void* caller) {
  if (!of_this_pe.active()) return 0;
  std::uint32_t i = 0;
  while (races_routines[i] != nullptr && std::strcmp(races_routines[i], routine) != 0) ++i;
  return races_site(i, caller, 0);
}

void order_team(int flow, shmem_team_t team, const char* routine, const void* caller) {
  races_collective(site_of_call(routine, caller), flow, {team, 0, 0, 0, nullptr}, nullptr, nullptr, {}, -1);
}

// All members have the new block, or none.
void* allocated(shmem_team_t team, void* block, std::size_t bytes, const char* routine, const void* caller) {
  if (block == nullptr || !of_this_pe.active()) return block;
  races_begin_block(site_of_call(routine, caller), block, bytes);
  order_team(races_sync, team, routine, caller);
  return block;
}

races::spin_lock requests_mutex;
std::map<shmemx_request_t, started> requests;

void finish_request(shmemx_request_t request, const char* routine, const void* caller) {
  started what;
  {
    const std::scoped_lock lock(requests_mutex);
    const auto found = requests.find(request);
    if (found == requests.end()) return;
    what = std::move(found->second);
    requests.erase(found);
  }
  if (of_this_pe.active()) races::finish(site_of_call(routine, caller), what);
}

struct known_graph {
  std::vector<shmemx_edge_t> in, out;
  std::size_t width;
  started run;  // run.all: the PEs that send to this one
};
races::spin_lock graphs_mutex;
std::map<shmemx_graph_t, known_graph> graphs;

known_graph* find_graph(shmemx_graph_t handle) {
  const std::scoped_lock lock(graphs_mutex);
  const auto found = graphs.find(handle);
  return found == graphs.end() ? nullptr : &found->second;
}

void finish_run(shmemx_graph_t handle, const char* routine, const void* caller) {
  known_graph* g = of_this_pe.active() ? find_graph(handle) : nullptr;
  if (g == nullptr || g->run.ranges.empty()) return;
  races::finish(site_of_call(routine, caller), g->run);
  g->run.ranges.clear();
}

}  // namespace

void* races_next(const char* name) { return dlsym(RTLD_NEXT, name); }

void races_begun(uint32_t at, int telling, void* team, int root, races_blocks dest, races_blocks source,
                 void* request) {
  if (!of_this_pe.active() || request == nullptr) return;
  started what;
  what.all = races::members_of_team(team);
  what.telling = telling;
  what.root = root;
  if (!what.all.has_me()) return;
  {
    const std::scoped_lock lock(of_this_pe.mutex());
    what.lend(at, dest, source);
  }
  const std::scoped_lock lock(requests_mutex);
  requests[*static_cast<shmemx_request_t*>(request)] = std::move(what);
}

EXPORT int shmemx_init_attr(shmemx_init_attr_t* attr) {
  const int outcome = NEXT(shmemx_init_attr)(attr);
  if (outcome == 0) races_start();
  return outcome;
}

EXPORT int shmemx_team_create_from_list(const int* pes, int n, shmem_team_t* team) {
  const int outcome = NEXT(shmemx_team_create_from_list)(pes, n, team);
  if (outcome != 0) return outcome;
  races_team_made(SHMEM_TEAM_WORLD, *team);
  order_team(races_sync, *team, __func__, CALLER);
  return outcome;
}

EXPORT int shmemx_team_split_color(shmem_team_t parent, int color, int key, const shmem_team_config_t* config,
                                   long config_mask, shmem_team_t* new_team) {
  order_team(races_sync, parent, __func__, CALLER);
  const int outcome = NEXT(shmemx_team_split_color)(parent, color, key, config, config_mask, new_team);
  if (outcome == 0) races_team_made(parent, *new_team);
  return outcome;
}

EXPORT void* shmemx_team_malloc(shmem_team_t team, size_t size) {
  return allocated(team, NEXT(shmemx_team_malloc)(team, size), size, __func__, CALLER);
}

EXPORT void* shmemx_team_align(shmem_team_t team, size_t alignment, size_t size) {
  return allocated(team, NEXT(shmemx_team_align)(team, alignment, size), size, __func__, CALLER);
}

EXPORT void* shmemx_team_calloc(shmem_team_t team, size_t count, size_t size) {
  return allocated(team, NEXT(shmemx_team_calloc)(team, count, size), count * size, __func__, CALLER);
}

// The library comes first, because it refuses a wrong block before any PE waits.
EXPORT void shmemx_team_free(shmem_team_t team, void* block) {
  NEXT(shmemx_team_free)(team, block);
  if (block == nullptr || !of_this_pe.active()) return;
  races::drop_block(reinterpret_cast<std::uintptr_t>(block));
  order_team(races_barrier, team, __func__, CALLER);
}

EXPORT int shmemx_team_barrier(shmem_team_t team) {
  order_team(races_barrier, team, __func__, CALLER);
  return NEXT(shmemx_team_barrier)(team);
}

EXPORT void shmemx_free_no_barrier(void* block) {
  if (of_this_pe.active()) races::drop_block(reinterpret_cast<std::uintptr_t>(block));
  NEXT(shmemx_free_no_barrier)(block);
}

EXPORT int shmemx_coll_test(shmemx_request_t* request) {
  const shmemx_request_t before = request != nullptr ? *request : SHMEMX_REQUEST_INVALID;
  const int outcome = NEXT(shmemx_coll_test)(request);
  if (outcome != 0) finish_request(before, __func__, CALLER);
  return outcome;
}

EXPORT void shmemx_coll_wait(shmemx_request_t* request) {
  const shmemx_request_t before = request != nullptr ? *request : SHMEMX_REQUEST_INVALID;
  NEXT(shmemx_coll_wait)(request);
  finish_request(before, __func__, CALLER);
}

EXPORT void shmemx_coll_wait_all(shmemx_request_t* all, size_t n) {
  const std::vector<shmemx_request_t> before(all, all != nullptr ? all + n : all);
  NEXT(shmemx_coll_wait_all)(all, n);
  for (const shmemx_request_t request : before) finish_request(request, __func__, CALLER);
}

EXPORT size_t shmemx_coll_wait_any(shmemx_request_t* all, size_t n) {
  const std::vector<shmemx_request_t> before(all, all != nullptr ? all + n : all);
  const std::size_t outcome = NEXT(shmemx_coll_wait_any)(all, n);
  if (outcome < before.size()) finish_request(before[outcome], __func__, CALLER);
  return outcome;
}

EXPORT int shmemx_graph_create(shmem_team_t team, const shmemx_edge_t* in, size_t n_in, const shmemx_edge_t* out,
                               size_t n_out, size_t element_size, int buffers, shmemx_graph_t* handle) {
  order_team(races_sync, team, __func__, CALLER);
  const int outcome = NEXT(shmemx_graph_create)(team, in, n_in, out, n_out, element_size, buffers, handle);
  if (outcome != 0 || !of_this_pe.active()) return outcome;
  known_graph made{.in = {in, in + n_in}, .out = {out, out + n_out}, .width = element_size, .run = {}};
  for (const shmemx_edge_t& edge : made.in)
    made.run.all.pes.push_back(pshmem_team_translate_pe(team, edge.pe, SHMEM_TEAM_WORLD));
  const std::scoped_lock lock(graphs_mutex);
  graphs[*handle] = std::move(made);
  return outcome;
}

EXPORT void shmemx_graph_start(shmemx_graph_t handle, void* dest, const void* source) {
  if (known_graph* g = of_this_pe.active() ? find_graph(handle) : nullptr) {
    const std::uint32_t at = site_of_call(__func__, CALLER);
    const std::scoped_lock lock(of_this_pe.mutex());
    for (const shmemx_edge_t& edge : g->out)
      races::read_blocks(
          at, {static_cast<const char*>(source) + edge.displ * g->width, g->width, nullptr, nullptr, edge.count});
    of_this_pe.publish(at);
    const auto lend = [&](const void* base, const shmemx_edge_t& edge, bool writes) {
      g->run.lend(at, static_cast<const char*>(base) + edge.displ * g->width, edge.count * g->width, writes);
    };
    for (const shmemx_edge_t& edge : g->in) lend(dest, edge, true);
    for (const shmemx_edge_t& edge : g->out) lend(source, edge, false);
  }
  NEXT(shmemx_graph_start)(handle, dest, source);
}

EXPORT int shmemx_graph_test(shmemx_graph_t handle) {
  const int outcome = NEXT(shmemx_graph_test)(handle);
  if (outcome != 0) finish_run(handle, __func__, CALLER);
  return outcome;
}

EXPORT void shmemx_graph_wait(shmemx_graph_t handle) {
  NEXT(shmemx_graph_wait)(handle);
  finish_run(handle, __func__, CALLER);
}

EXPORT void shmemx_graph_destroy(shmemx_graph_t handle) {
  {
    const std::scoped_lock lock(graphs_mutex);
    graphs.erase(handle);
  }
  NEXT(shmemx_graph_destroy)(handle);
}
