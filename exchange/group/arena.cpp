#include "exchange/group/arena.hpp"

#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

using oshen::exchange::aligned;
using oshen::exchange::alignment;
using oshen::exchange::mailbox;
using oshen::exchange::staging_memory;

std::size_t oshen_arena::allocate(std::size_t wanted) {
  wanted = aligned(wanted);
  for (auto hole = holes.begin(); hole != holes.end(); ++hole) {
    const auto [offset, size] = *hole;
    if (size < wanted) continue;
    holes.erase(hole);
    if (size > wanted) holes.emplace(offset + wanted, size - wanted);
    return offset;
  }
  return npos;
}

void oshen_arena::deallocate(std::size_t offset, std::size_t size) {
  size = aligned(size);
  auto next = holes.lower_bound(offset);
  if (next != holes.end() && offset + size == next->first) {
    size += next->second;
    next = holes.erase(next);
  }
  if (next != holes.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += size;
      return;
    }
  }
  holes.emplace(offset, size);
}

void oshen_arena::reserve_staging(std::size_t wanted) {
  if (wanted != 0) return_staging(borrow_staging(wanted));
}

staging_memory oshen_arena::borrow_staging(std::size_t wanted) {
  if (wanted == 0) return {};
  for (auto found = spare.begin(); found != spare.end(); ++found) {
    if (found->size < wanted) continue;
    staging_memory lent = std::move(*found);
    spare.erase(found);
    return lent;
  }
  // None is large enough: a larger one replaces one that is too small. The memory is not cleared, so that pages that
  // are never used cost nothing.
  staging_memory made{std::unique_ptr<std::byte[]>(new std::byte[wanted]), wanted};
  if (!spare.empty()) spare.pop_back();
  return made;
}

void oshen_arena::return_staging(staging_memory memory) {
  if (memory.size != 0) spare.insert(spare.begin(), std::move(memory));  // in front: most likely still in the caches
}

oshen_status_t oshen_arena_create(std::size_t bytes, oshen_arena_t** arena) {
  *arena = nullptr;
  const auto n = static_cast<std::size_t>(shmem_n_pes());
  const std::size_t mailbox_bytes = aligned(n * sizeof(mailbox));
  const std::size_t total = mailbox_bytes + aligned(bytes);
  if (bytes == 0 || total < bytes) return OSHEN_INVALID;
  auto* base = static_cast<std::byte*>(shmem_align(alignment, total));
  if (base == nullptr) return OSHEN_NO_SPACE;
  std::memset(base, 0, mailbox_bytes);
  auto made = std::make_unique<oshen_arena>();
  made->base = base;
  made->bytes = total;
  made->holes.emplace(mailbox_bytes, total - mailbox_bytes);
  made->rounds.assign(n, 0);
  shmem_barrier_all();  // no PE may write to a mailbox before it is cleared
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
  const std::size_t offset = arena->allocate(bytes);
  if (offset == oshen_arena_t::npos) return nullptr;
  arena->buffers.emplace(offset, bytes);
  return arena->base + offset;
}

void oshen_arena_free(oshen_arena_t* arena, void* buffer) {
  if (buffer == nullptr) return;
  const auto known = arena->buffers.find(static_cast<std::size_t>(static_cast<std::byte*>(buffer) - arena->base));
  if (known == arena->buffers.end()) {
    std::fprintf(stderr,
                 "oshen exchange: PE %d: oshen_arena_free: buffer = %p: expected an address from "
                 "oshen_arena_alloc\n",
                 shmem_my_pe(), buffer);
    shmem_global_exit(1);
  }
  arena->deallocate(known->first, known->second);
  arena->buffers.erase(known);
}
