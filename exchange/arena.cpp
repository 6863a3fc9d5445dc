#include "arena.hpp"

#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

using oshen::exchange::aligned;
using oshen::exchange::alignment;
using oshen::exchange::pair_of_notes;
using oshen::exchange::staging_memory;

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

void oshen_arena::provide(std::size_t wanted) {
  if (wanted != 0) bring_back(borrow(wanted));
}

staging_memory oshen_arena::borrow(std::size_t wanted) {
  if (wanted == 0) return {};
  for (auto piece = spare.begin(); piece != spare.end(); ++piece) {
    if (piece->size < wanted) continue;
    staging_memory lent = std::move(*piece);
    spare.erase(piece);
    return lent;
  }
  // None is large enough: a larger one takes the place of one that is too small. Not set to zero,
  // so that pages that are never used cost nothing.
  staging_memory made{std::unique_ptr<std::byte[]>(new std::byte[wanted]), wanted};
  if (!spare.empty()) spare.pop_back();
  return made;
}

void oshen_arena::bring_back(staging_memory memory) {
  if (memory.size != 0) spare.insert(spare.begin(), std::move(memory));  // the warmest first
}

oshen_status_t oshen_arena_create(std::size_t bytes, oshen_arena_t** arena) {
  *arena = nullptr;
  const auto n = static_cast<std::size_t>(shmem_n_pes());
  const std::size_t board = aligned(n * sizeof(pair_of_notes));
  const std::size_t total = board + aligned(bytes);
  if (bytes == 0 || total < bytes) return OSHEN_INVALID;
  auto* base = static_cast<std::byte*>(shmem_align(alignment, total));
  if (base == nullptr) return OSHEN_NO_SPACE;
  std::memset(base, 0, board);
  auto made = std::make_unique<oshen_arena>();
  made->base = base;
  made->bytes = total;
  made->free.emplace(board, total - board);
  made->rounds.assign(n, 0);
  shmem_barrier_all();  // nobody is told anything before the board is empty
  *arena = made.release();
  return OSHEN_OK;
}

void oshen_arena_destroy(oshen_arena_t* arena) {
  if (arena == nullptr) return;
  shmem_free(arena->base);
  delete arena;
}

void* oshen_arena_alloc(oshen_arena_t* arena, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::size_t offset = arena->take(bytes);
  if (offset == oshen_arena_t::nowhere) return nullptr;
  arena->buffers.emplace(offset, bytes);
  return arena->base + offset;
}

void oshen_arena_free(oshen_arena_t* arena, void* buffer) {
  if (buffer == nullptr) return;
  const auto known =
      arena->buffers.find(static_cast<std::size_t>(static_cast<std::byte*>(buffer) - arena->base));
  if (known == arena->buffers.end()) {
    std::fprintf(stderr,
                 "oshen exchange: PE %d: oshen_arena_free: buffer = %p: expected an address from "
                 "oshen_arena_alloc\n",
                 shmem_my_pe(), buffer);
    shmem_global_exit(1);
  }
  arena->give_back(known->first, known->second);
  arena->buffers.erase(known);
}
