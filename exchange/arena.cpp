#include "arena.hpp"

#include <iterator>
#include <memory>

using oshen::exchange::aligned;
using oshen::exchange::alignment;
using oshen::exchange::record;

std::size_t oshen_arena::take(std::size_t wanted) {
  wanted = aligned(wanted);
  for (auto hole = free.begin(); hole != free.end(); ++hole) {
    const auto [offset, size] = *hole;
    if (size < wanted) continue;
    free.erase(hole);
    if (size > wanted) free.emplace(offset + wanted, size - wanted);
    return offset;
  }
  return nowhere;
}

void oshen_arena::give_back(std::size_t offset, std::size_t size) {
  size = aligned(size);
  auto next = free.lower_bound(offset);
  if (next != free.end() && offset + size == next->first) {
    size += next->second;
    next = free.erase(next);
  }
  if (next != free.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += size;
      return;
    }
  }
  free.emplace(offset, size);
}

oshen_status_t oshen_arena_create(std::size_t bytes, oshen_arena_t** arena) {
  *arena = nullptr;
  const std::size_t board = aligned(static_cast<std::size_t>(shmem_n_pes()) * sizeof(record));
  const std::size_t total = board + aligned(bytes);
  if (bytes == 0 || total < bytes) return OSHEN_INVALID;
  auto* base = static_cast<std::byte*>(shmem_align(alignment, total));
  if (base == nullptr) return OSHEN_NO_SPACE;
  auto made = std::make_unique<oshen_arena>();
  made->base = base;
  made->bytes = total;
  made->free.emplace(board, total - board);
  *arena = made.release();
  return OSHEN_OK;
}

void oshen_arena_destroy(oshen_arena_t* arena) {
  if (arena == nullptr) return;
  shmem_free(arena->base);
  delete arena;
}
