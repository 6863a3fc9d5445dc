#include "allocation/symmetric_heap.hpp"

#include <shmemx.h>
#include <string.h>

#include <algorithm>

#include "allocation/heap_call.hpp"
#include "allocation/node_memory.hpp"
#include "base/log.hpp"
#include "coll/call/sequence.hpp"
#include "heap/core_dump.hpp"
#include "heap/memory_checkers.hpp"
#include "op/control_access.hpp"
#include "op/order.hpp"
#include "os/memory.hpp"
#include "os/numa.hpp"
#include "os/placement.hpp"
#include "world/team_heap.hpp"

namespace oshen {
namespace {

using transport::agent;

void barrier(world& w, const char* routine) { coll::sync_team(w.team_world, routine); }
char* address_of(world& w, std::size_t offset) { return w.segment.heap(w.near.mine) + offset; }

bool is_of_card(const world& w, std::size_t offset) { return w.card_begin != heap::nowhere && offset >= w.card_begin; }
heap::allocator& blocks_at(world& w, std::size_t offset) { return is_of_card(w, offset) ? w.card_heap : w.heap; }
std::size_t bytes_used(const world& w) { return w.heap.used() + w.card_heap.used(); }

// ---- refusals --------------------------------------------------------------------------------------------------

// The result is the same on all PEs, so one PE explains it. Another PE may end the job as soon as it has the result, so
// all PEs wait for the line.
template <class Print>
void explain_on_one_pe(world& w, const char* routine, Print print) {
  if (w.pe == 0) print();
  barrier(w, routine);
}

void print_refusal(const world& w, const char* routine, std::size_t bytes, const char* why) {
  const heap::usage u = w.heap.report();
  log::error(
      "%s: %zu bytes refused: %s; heap %zu bytes, used %zu in %zu blocks, largest free %zu, backed by memory %zu; "
      "SHMEM_SYMMETRIC_SIZE sets the size of the heap",
      routine, bytes, why, u.bytes, u.used, u.allocations, u.largest_free, w.affordable);
}

// Counts a refusal. Only the first one is explained, because programs may search for the largest block that they can
// get.
bool is_first_refusal(world& w, std::size_t bytes) {
  heap_history& history = w.heap_history;
  if (++history.n_refused == 1) return true;
  history.smallest_refused = bytes < history.smallest_refused ? bytes : history.smallest_refused;
  history.largest_refused = bytes > history.largest_refused ? bytes : history.largest_refused;
  return false;
}

void explain(world& w, const char* routine, std::size_t bytes, const char* why) {
  if (is_first_refusal(w, bytes)) explain_on_one_pe(w, routine, [&] { print_refusal(w, routine, bytes, why); });
}

// True if a node lacks memory for the block. All PEs of a node compute the same from their records. The first PE of a
// node that refuses tells the other nodes, before a second barrier.
bool is_refused(world& w, const char* routine) {
  std::size_t missing = 0;
  for (int slice = 0; slice < w.near.n_pes; ++slice) missing += record_of(w, w.near.pe_at(slice)).missing;
  const bool refused = with_page_tables(w, missing) > record_of(w, w.near.leader()).room;
  if (w.beyond == nullptr) return refused;
  if (refused && w.near.mine == 0) {
    const op::control_access access{w, routine};
    for (int pe = 0; pe < w.n_pes; ++pe)
      if (!w.is_near(pe))
        access.change(pe, w.own_control().refused_call, transport::operation::swap, w.heap_history.n_calls);
  }
  barrier(w, routine);
  return refused || w.own_control().refused_call.load(std::memory_order_acquire) == w.heap_history.n_calls;
}

// Synchronises, and returns the reason why `fresh` bytes from `offset` on must not be used; null if they may. The
// result is the same on all PEs: the first test uses numbers that are equal on all PEs, the second uses the exchanged
// records.
const char* why_not(world& w, const heap_call& call, std::size_t offset, std::size_t fresh, std::size_t high_water) {
  const std::size_t used = bytes_used(w);
  const bool backed = used <= w.affordable;
  const std::size_t growth = checked_growth(w);
  const bool check = backed && (fresh >= growth || used >= w.heap_history.used_at_check + growth);
  if (!check) {
    synchronize(w, call);
    return backed ? nullptr : "more than the node's memory";
  }
  synchronize(w, call, missing_bytes(w, offset, fresh, high_water), w.near.mine == 0 ? room_left(w, used - fresh) : 0);
  if (is_refused(w, call.routine)) return "not enough memory is free on this node";
  w.heap_history.used_at_check = used;
  return nullptr;
}

// ---- blocks ----------------------------------------------------------------------------------------------------

// The high-water mark of the heap has moved from `before`: guards the memory behind it.
void guard_heap(world& w, std::size_t before) {
  const std::size_t end = heap::guarded_bytes + w.heap.high_water(), begin = heap::guarded_bytes + before;
  const std::size_t last = w.segment.plan().heap_bytes;
  if (begin < end && begin < last) heap::mark_unused(address_of(w, begin), (end < last ? end : last) - begin);
}

void publish_use(world& w) { w.own_control().heap_used.store(bytes_used(w), std::memory_order_relaxed); }

// A block of an allocator that is not in use yet. `high_water`: the mark of the allocator before.
struct fresh_block {
  std::size_t offset;
  std::size_t high_water;
};

// If the card heap has no room, the block comes from the heap, as in a job without such a card. So a hint is never the
// reason of a refusal.
fresh_block allocate(world& w, std::size_t bytes, std::size_t alignment, agent by) {
  if (by == agent::card) {
    const std::size_t high_water = w.card_heap.high_water(), offset = w.card_heap.allocate(bytes, alignment);
    if (offset != heap::nowhere) return {offset, high_water};
  }
  const std::size_t high_water = w.heap.high_water();
  return {w.heap.allocate(bytes, alignment), high_water};
}

// The block is in use from now on.
void begin_block(world& w, const fresh_block& b, std::size_t bytes) {
  heap::allocator& from = blocks_at(w, b.offset);
  w.block_index.set(b.offset, bytes);
  if (is_of_card(w, b.offset))
    open_team_heap(w);
  else
    guard_heap(w, b.high_water);
  heap::mark_block(address_of(w, b.offset), bytes, from.size_of(b.offset));
  heap::keep_heap_in_core(w.segment, w.near.mine, b.high_water, from.high_water());
  publish_use(w);
}

// Allocates a block and synchronises. Afterwards any PE may access the block.
std::size_t take_block(world& w, const heap_call& call, std::size_t bytes, std::size_t alignment, agent by) {
  const fresh_block b = allocate(w, bytes, alignment, by);
  heap::allocator& from = blocks_at(w, b.offset);
  const char* why = "no free block is large enough";
  if (b.offset == heap::nowhere)
    synchronize(w, call);
  else
    why = why_not(w, call, b.offset, from.size_of(b.offset), b.high_water);
  if (why == nullptr) {
    begin_block(w, b, bytes);
    return b.offset;
  }
  if (b.offset != heap::nowhere) from.free(b.offset);
  explain(w, call.routine, bytes, why);
  return heap::nowhere;
}

// The same without waiting for other PEs: the result follows from numbers that are equal on all PEs. The free memory of
// the node is not among them. The next block that synchronises is compared with it, and counts this one.
std::size_t take_block_alone(world& w, const heap_call& call, std::size_t bytes, std::size_t alignment, agent by) {
  remember(w, call);
  const fresh_block b = allocate(w, bytes, alignment, by);
  if (b.offset != heap::nowhere && bytes_used(w) <= w.affordable) {
    begin_block(w, b, bytes);
    return b.offset;
  }
  const char* why = b.offset == heap::nowhere ? "no free block is large enough" : "more than the node's memory";
  if (b.offset != heap::nowhere) blocks_at(w, b.offset).free(b.offset);
  if (is_first_refusal(w, bytes) && w.pe == 0) print_refusal(w, call.routine, bytes, why);
  return heap::nowhere;
}

void give_back(world& w, std::size_t offset) {
  heap::allocator& from = blocks_at(w, offset);
  heap::mark_freed(address_of(w, offset), from.size_of(offset));
  from.free(offset);
  w.block_index.set(offset, 0);
  publish_use(w);
  if (bytes_used(w) < w.heap_history.used_at_check) w.heap_history.used_at_check = bytes_used(w);
}

// Grows or shrinks the block in place, and synchronises. False, without synchronising, if it has to move. Sets `why` if
// it must not grow.
bool resize_in_place(world& w, const heap_call& call, std::size_t offset, std::size_t bytes, const char*& why) {
  heap::allocator& from = blocks_at(w, offset);
  const std::size_t had = from.size_of(offset), high_water = from.high_water();
  if (!from.resize(offset, bytes)) return false;
  const std::size_t has = from.size_of(offset);
  why = why_not(w, call, offset + had, has > had ? has - had : 0, high_water);
  if (why != nullptr) {
    from.resize(offset, had);
  } else {
    w.block_index.set(offset, bytes);
    if (!is_of_card(w, offset)) guard_heap(w, high_water);
    if (had > has) heap::mark_unused(address_of(w, offset + has), had - has);
    heap::mark_resized(address_of(w, offset), bytes, has);
    publish_use(w);
  }
  heap::keep_heap_in_core(w.segment, w.near.mine, high_water, from.high_water());
  return true;
}

std::size_t offset_of(world& w, const char* routine, void* block) {
  const auto offset = static_cast<std::size_t>(static_cast<char*>(block) - address_of(w, 0));
  const op::call_site at = op::site_of(w.default_context, routine);
  const bool is_block = blocks_at(w, offset).size_of(offset) != 0;
  if (!is_block && w.team_blocks.find(offset).bytes != 0)
    op::bad_argument(at, "ptr = %p: a block of a team; only shmemx_team_free frees it", block);
  if (!is_block) op::bad_argument(at, "ptr = %p: not the start of a block from shmem_malloc, or already freed", block);
  return offset;
}

bool can_align(world& w, const heap_call& call, std::size_t alignment) {
  const bool power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (power_of_two && alignment <= heap::alignment) return true;
  synchronize(w, call);
  explain_on_one_pe(w, call.routine, [&] {
    log::error("%s: alignment = %zu refused: expected a power of two from 1 to %zu", call.routine, alignment,
               heap::alignment);
  });
  return false;
}

// Requests the pages of this PE's new block, of which other PEs may write the contents already.
void place(world& w, char* block, std::size_t bytes, long hints) {
  heap_history& history = w.heap_history;
  const long node = (hints >> 16) - 1;
  if (node >= 0 || (hints & SHMEMX_MALLOC_NEAR) != 0)
    os::prefer_numa_node(block, bytes, node >= 0 ? static_cast<int>(node) : os::own_numa_node());
  else if ((hints & (SHMEMX_MALLOC_FAR | SHMEMX_MALLOC_READ_MOSTLY)) != 0)
    os::spread_over_numa_nodes(block, bytes);
  else if (history.has_policies)
    os::forget_numa_nodes(block, bytes);  // of an earlier block
  history.has_policies |= (hints & ~(SHMEMX_MALLOC_HUGE_PAGES | SHMEMX_MALLOC_NO_BARRIER)) >> 9 != 0;
  if (w.config.huge_pages || (hints & SHMEMX_MALLOC_HUGE_PAGES) != 0) {
    history.has_huge_pages = true;
    os::use_huge_pages(block, bytes);
  }
}

// The agent of the atomic operations on a new block.
agent agent_of(const world& w, long hints) {
  const bool wants_card = (hints & (SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE)) != 0;
  return wants_card && w.card_begin != heap::nowhere ? agent::card : agent::cpu;
}

void* take(world& w, const heap_call& call, std::size_t bytes, std::size_t alignment = heap::grain, long hints = 0) {
  ++w.heap_history.n_calls;
  if (!can_align(w, call, alignment)) return nullptr;
  const bool is_alone = (hints & SHMEMX_MALLOC_NO_BARRIER) != 0;
  const agent by = agent_of(w, hints);
  const std::size_t offset =
      is_alone ? take_block_alone(w, call, bytes, alignment, by) : take_block(w, call, bytes, alignment, by);
  if (offset == heap::nowhere) return nullptr;
  place(w, address_of(w, offset), bytes, hints);
  return address_of(w, offset);
}

}  // namespace

void* heap_align(world& w, const char* routine, std::size_t alignment, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return take(w, {routine, heap_operation::align, {alignment, bytes}}, bytes, alignment);
}

void* heap_malloc(world& w, const char* routine, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return take(w, {routine, heap_operation::allocate, {bytes, 0}}, bytes);
}

void* heap_malloc_with_hints(world& w, const char* routine, std::size_t bytes, long hints) {
  if (bytes == 0) return nullptr;
  const bool has_huge_page = (hints & SHMEMX_MALLOC_HUGE_PAGES) != 0 && bytes >= os::huge_page_bytes;
  return take(w, {routine, heap_operation::allocate, {bytes, static_cast<std::uint64_t>(hints)}}, bytes,
              has_huge_page ? os::huge_page_bytes : heap::grain, hints);
}

std::size_t heap_bytes_in_huge_pages(const world& w) {
  if (!w.heap_history.has_huge_pages && !w.config.huge_pages) return 0;
  return os::bytes_in_huge_pages(w.segment.heap(w.near.mine), w.segment.plan().symmetric_bytes());
}

// Pages beyond the high-water mark were never touched, so they are zero already.
void* heap_calloc(world& w, const char* routine, std::size_t count, std::size_t bytes) {
  std::size_t total = 0;
  if (count == 0 || bytes == 0) return nullptr;
  if (__builtin_mul_overflow(count, bytes, &total)) total = SIZE_MAX;
  const std::size_t high_water = w.heap.high_water();
  void* block = take(w, {routine, heap_operation::calloc, {count, bytes}}, total);
  if (block == nullptr) return nullptr;
  const auto offset = static_cast<std::size_t>(static_cast<char*>(block) - address_of(w, 0));
  if (offset < high_water) memset(block, 0, high_water - offset < total ? high_water - offset : total);
  barrier(w, routine);  // no PE writes to the block before it has been cleared
  return block;
}

void* heap_realloc(world& w, const char* routine, void* block, std::size_t bytes) {
  if (block == nullptr) return heap_malloc(w, routine, bytes);
  if (bytes == 0) {
    heap_free(w, routine, block);
    return nullptr;
  }
  const std::size_t offset = offset_of(w, routine, block);
  const std::size_t had = blocks_at(w, offset).size_of(offset);
  const heap_call call{routine, heap_operation::realloc, {offset, bytes}};
  ++w.heap_history.n_calls;
  op::quiet(op::site_of(w.default_context, routine));
  // Both branches synchronise before the block may change, so that all puts to it have arrived.
  const char* why = nullptr;
  if (resize_in_place(w, call, offset, bytes, why)) {
    if (why != nullptr) explain(w, routine, bytes, why);
    return why == nullptr ? block : nullptr;
  }
  const agent by = is_of_card(w, offset) ? agent::card : agent::cpu;
  const std::size_t moved = take_block(w, call, bytes, heap::grain, by);
  if (moved == heap::nowhere) return nullptr;
  heap::mark_readable(address_of(w, offset), had);
  memcpy(address_of(w, moved), block, had < bytes ? had : bytes);
  give_back(w, offset);
  barrier(w, routine);
  return address_of(w, moved);
}

void heap_free(world& w, const char* routine, void* block) {
  if (block == nullptr) return;
  const std::size_t offset = offset_of(w, routine, block);
  ++w.heap_history.n_calls;
  op::quiet(op::site_of(w.default_context, routine));
  synchronize(w, {routine, heap_operation::free, {offset, 0}});
  give_back(w, offset);
}

void heap_free_no_barrier(world& w, const char* routine, void* block) {
  if (block == nullptr) return;
  const std::size_t offset = offset_of(w, routine, block);
  ++w.heap_history.n_calls;
  remember(w, {routine, heap_operation::free, {offset, 0}});
  give_back(w, offset);
}

void report_refusals(const world& w) {
  const heap_history& history = w.heap_history;
  if (w.pe != 0 || history.n_refused < 2) return;
  log::error("%llu more requests for heap memory were refused, of %zu to %zu bytes; the first line says why",
             static_cast<unsigned long long>(history.n_refused - 1), history.smallest_refused, history.largest_refused);
}

}  // namespace oshen
