#include <string.h>

#include <algorithm>

#include "allocation/symmetric_heap.hpp"
#include "allocation/team_memory.hpp"
#include "api/handle.hpp"

namespace oshen::api {

void* malloc(const char* routine, std::size_t size) {
  world& w = require_world(routine);
  return size == 0 ? nullptr : heap_malloc(w, routine, size);
}

void* malloc_with_hints(const char* routine, std::size_t size, long hints) {
  return heap_malloc_with_hints(require_world(routine), routine, size, hints);
}

void* calloc(const char* routine, std::size_t count, std::size_t size) {
  return heap_calloc(require_world(routine), routine, count, size);
}

void* align(const char* routine, std::size_t alignment, std::size_t size) {
  return heap_align(require_world(routine), routine, alignment, size);
}

void* realloc(const char* routine, void* ptr, std::size_t size) {
  return heap_realloc(require_world(routine), routine, ptr, size);
}

void free(const char* routine, void* ptr) { heap_free(require_world(routine), routine, ptr); }
void free_no_barrier(const char* routine, void* ptr) { heap_free_no_barrier(require_world(routine), routine, ptr); }

void* team_malloc(const char* routine, shmem_team_t team, std::size_t size) {
  return oshen::team_malloc(of_team(team, routine), size);
}

void* team_align(const char* routine, shmem_team_t team, std::size_t alignment, std::size_t size) {
  return oshen::team_align(of_team(team, routine), alignment, size);
}

void* team_calloc(const char* routine, shmem_team_t team, std::size_t count, std::size_t size) {
  return oshen::team_calloc(of_team(team, routine), count, size);
}

void team_free(const char* routine, shmem_team_t team, void* ptr) { oshen::team_free(of_team(team, routine), ptr); }

// A program that was compiled with fewer members gets these; members that this library does not know become 0.
int heap_info(const char*, shmemx_heap_info_t* info, std::size_t size) {
  if (current_world == nullptr || info == nullptr) return 1;
  const heap::usage u = current_world->heap.report();
  const heap::team_blocks::usage teams = current_world->team_blocks.report();
  const heap::usage cards = current_world->card_heap.report();
  const shmemx_heap_info_t all = {.bytes = u.bytes,
                                  .used = u.used,
                                  .largest_free = u.largest_free,
                                  .high_water = u.high_water,
                                  .allocations = u.allocations,
                                  .huge = heap_bytes_in_huge_pages(*current_world),
                                  .team_bytes = teams.bytes,
                                  .team_used = teams.used,
                                  .card_bytes = cards.bytes,
                                  .card_used = cards.used};
  const std::size_t known = std::min(size, sizeof all);
  memcpy(static_cast<void*>(info), &all, known);
  memset(reinterpret_cast<char*>(info) + known, 0, size - known);
  return 0;
}

}  // namespace oshen::api
