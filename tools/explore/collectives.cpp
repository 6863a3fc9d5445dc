// Collectives, the heap, start and end, as entries of the log.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>

#include "groups.hpp"
#include "pe.hpp"
#include "start.hpp"

namespace explore {
namespace {

std::uint64_t address_of(const void* a) { return reinterpret_cast<std::uint64_t>(a); }

// Bytes of `source` that the collective reads on this PE.
std::size_t source_bytes(const explore_collective& c, int me, int n) {
  const std::size_t block = c.n * c.width;
  switch (c.what) {
    case explore_sync: return 0;
    case explore_broadcast: return me == c.root ? block : 0;
    case explore_alltoall:
      return c.n == 0
                 ? 0
                 : ((static_cast<std::size_t>(n) * c.n - 1) * static_cast<std::size_t>(c.source_stride) + 1) * c.width;
    default: return block;
  }
}

// `made`, `freed`: blocks of the heap that change with it.
void sync(explore_call call, explore_group group, blocks made = {}, blocks freed = {}) {
  entry e;
  e.to = made;
  e.from = freed;
  e.what = step::sync;
  e.call = call;
  e.group = next_meeting(call, group).key;
  e.collective.what = explore_sync;
  pe::here().request(e);
}

explore_group everyone() { return {reinterpret_cast<void*>(1), 0, 0, 0, nullptr}; }

// The symmetric heap: all PEs make the same calls, so all get the same addresses.
struct heap {
  std::uint64_t used = 0;
  std::map<std::uint64_t, std::size_t> blocks;  // address, bytes
};
heap* allocated = nullptr;

void* allocate(std::size_t alignment, std::size_t bytes) {
  const memory_range memory = pe::here().symmetric().heap;
  const std::uint64_t step = std::max<std::uint64_t>(alignment, 64);
  std::uint64_t at = memory.begin;
  for (const auto& [begin, size] : allocated->blocks) {
    if (at + bytes <= begin) break;
    at = (begin + size + step - 1) / step * step;
  }
  at = (at + step - 1) / step * step;
  if (at + bytes > memory.end) return nullptr;
  allocated->blocks[at] = bytes;
  return reinterpret_cast<void*>(at);
}

// A barrier of all PEs.
void change_heap(explore_call call, blocks made, blocks freed) {
  explore_quiet(call, nullptr, nullptr, 0);
  sync(call, everyone(), made, freed);
}

blocks block_at(const void* address, std::size_t bytes) { return {address_of(address), bytes, 1, 0}; }

}  // namespace
}  // namespace explore

using namespace explore;

int explore_meet(explore_call call, const explore_collective* what) {
  if (what->what == explore_sync) {
    sync(call, what->group);
    return 0;
  }
  const meeting_place at = next_meeting(call, what->group);
  const int me = at.of->index_of(pe::here().number());
  if (what->what == explore_broadcast && (what->root < 0 || what->root >= at.of->count()))
    pe::here().wrong(call, "root %d: expected 0 to %d", what->root, at.of->count() - 1);
  pe::here().check(call, what->dest, what->n * what->width, 0, 1);
  entry e;
  e.what = step::arrive;
  e.call = call;
  e.group = at.key;
  e.collective = *what;
  const std::size_t bytes = source_bytes(*what, me, at.of->count());
  e.from = {address_of(what->source), bytes, 1, 0};
  const std::span<const std::byte> source(static_cast<const std::byte*>(what->source), bytes);
  pe::here().log_with(e, {&source, 1});
  e.what = step::leave;
  pe::here().request(e);
  return 0;
}

void explore_barrier(explore_call call, explore_group group) {
  explore_quiet(call, nullptr, nullptr, 0);
  sync(call, group);
}

void* explore_allocate(explore_call call, size_t alignment, size_t bytes, int zero) {
  pe::here().check(call, nullptr, 0, 0, 1);
  if (bytes == 0) return nullptr;
  void* block = allocate(alignment, bytes);
  if (block != nullptr && zero != 0) std::memset(block, 0, bytes);
  if (block != nullptr) change_heap(call, block_at(block, bytes), {});
  return block;
}

void explore_free(explore_call call, void* block) {
  if (block == nullptr) return;
  const auto old = allocated->blocks.find(address_of(block));
  if (old == allocated->blocks.end()) pe::here().wrong(call, "%p: not allocated by shmem_malloc", block);
  change_heap(call, {}, block_at(block, old->second));
  allocated->blocks.erase(old);
}

void* explore_reallocate(explore_call call, void* block, size_t bytes) {
  if (block == nullptr) return explore_allocate(call, 0, bytes, 0);
  const auto old = allocated->blocks.find(address_of(block));
  if (old == allocated->blocks.end()) pe::here().wrong(call, "%p: not allocated by shmem_malloc", block);
  explore_barrier(call, everyone());
  void* moved = bytes == 0 ? nullptr : allocate(0, bytes);
  if (moved != nullptr) std::memcpy(moved, block, std::min(bytes, old->second));
  const bool is_freed = moved != nullptr || bytes == 0;
  change_heap(call, block_at(moved, moved == nullptr ? 0 : bytes), block_at(block, is_freed ? old->second : 0));
  if (is_freed) allocated->blocks.erase(old);
  return moved;
}

// ---- start and end

namespace {

// They are counted. All but the last shmem_finalize are barriers.
int initialisations = 0;
int level = 0;  // of threads

// exit, or the end of main, without shmem_finalize.
void at_exit(int status, void*) {
  if (!pe::here().active()) return;
  initialisations = 1;
  const explore_call call{"shmem_finalize", nullptr};
  if (status == 0) return explore_finalize(call);
  entry e;
  e.what = step::failed_exit;
  e.call = call;
  e.status = status;
  pe::here().stop_for_ever(e);
}

}  // namespace

void explore_init(explore_call call) {
  ++initialisations;
  if (pe::here().active()) return;
  if (pe::here().count() > 0) {
    entry last;
    last.what = step::not_modelled;
    last.call = {nullptr, call.place};
    std::strcpy(last.message.data(), "shmem_init after shmem_finalize");
    pe::here().stop_for_ever(last);
  }
  become_pe(call);
  allocated = new heap;
  start_groups();
  on_exit(at_exit, nullptr);
}

int explore_init_thread(explore_call call, int requested, int* provided) {
  explore_init(call);
  if (initialisations == 1) level = requested;
  pe::here().set_level(level);
  *provided = level;
  return 0;
}

void explore_finalize(explore_call call) {
  pe::here().check(call, nullptr, 0, 0, 1);
  if (--initialisations > 0) return explore_barrier(call, everyone());
  entry all;
  all.what = step::quiet;
  all.call = call;
  all.ctx = 0;  // every context
  pe::here().request(all);
  sync(call, everyone());
  entry last;
  last.what = step::end;
  last.call = call;
  pe::here().request(last);
  pe::here().leave();
}

void explore_global_exit(explore_call call, int status) {
  entry e;
  e.what = step::global_exit;
  e.call = call;
  e.status = status;
  pe::here().stop_for_ever(e);
}

int explore_thread_level(void) { return level; }
int explore_my_pe(void) { return pe::here().number(); }
int explore_n_pes(void) { return pe::here().count(); }
int explore_is_initialised(void) { return pe::here().active() ? 1 : 0; }

int explore_is_symmetric(const void* address) { return pe::here().symmetric().has(address_of(address), 1) ? 1 : 0; }
