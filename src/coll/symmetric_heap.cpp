#include "coll/symmetric_heap.hpp"

#include <string.h>

#include "base/log.hpp"
#include "coll/registry.hpp"
#include "op/order.hpp"
#include "os/memory.hpp"

namespace oshen::coll {
namespace {

// From here on the memory of the node is looked at again before a block is promised.
constexpr std::size_t large_block = std::size_t{32} << 20;

op::site here(world& w, const char* routine) { return {&w.default_context, routine}; }
void barrier(world& w, const char* routine) { sync_team(w.team_world, routine); }
char* address_of(world& w, std::size_t offset) { return w.segment.heap(w.pe) + offset; }

void explain(world& w, const char* routine, std::size_t bytes, const char* why) {
  if (w.pe != 0) return;  // the answer is the same everywhere; one line is enough
  const heap::usage u = w.heap.report();
  log::error("%s: %zu bytes refused: %s; heap %zu bytes, used %zu in %zu blocks, largest free %zu, backed by memory %zu; "
             "SHMEM_SYMMETRIC_SIZE sets the size of the heap",
             routine, bytes, why, u.bytes, u.used, u.allocations, u.largest_free, w.affordable);
}

// Memory is promised only if it can be had: a page that is missing later would be a SIGBUS or the kernel's
// out-of-memory killer. The first test has the same numbers on every PE; the second is made by PE 0 alone and
// told to the others through the node page, before the barrier that ends the call.
const char* why_not(world& w, std::size_t bytes, std::size_t fresh) {
  if (w.heap.report().used > w.affordable) return "more than the node's memory";
  if (w.pe == 0 && bytes >= large_block &&
      os::available_memory() / static_cast<std::size_t>(w.n_pes) < fresh)
    w.node().refused_call.store(w.heap_calls, std::memory_order_release);
  return nullptr;
}

// Allocates, and meets the others: they may use the block when they leave.
std::size_t take_block(world& w, const char* routine, std::size_t bytes, std::size_t alignment) {
  ++w.heap_calls;
  const std::size_t high_water = w.heap.high_water();
  const std::size_t offset = w.heap.allocate(bytes, alignment);
  const char* why = offset == heap::nowhere ? "no free block is large enough"
                                            : why_not(w, bytes, w.heap.high_water() - high_water);
  barrier(w, routine);
  if (why == nullptr && w.node().refused_call.load(std::memory_order_acquire) == w.heap_calls)
    why = "not enough memory is free on this node";
  if (why == nullptr) return offset;
  if (offset != heap::nowhere) w.heap.free(offset);
  explain(w, routine, bytes, why);
  return heap::nowhere;
}

std::size_t offset_of(world& w, const char* routine, void* block) {
  const auto offset = static_cast<std::size_t>(static_cast<char*>(block) - address_of(w, 0));
  if (w.heap.size_of(offset) == 0)
    op::bad_argument(here(w, routine), "ptr = %p: not the start of a block from shmem_malloc, or already freed", block);
  return offset;
}

}  // namespace

void* heap_align(world& w, const char* routine, std::size_t alignment, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0)
    op::bad_argument(here(w, routine), "alignment = %zu: expected a power of two of at least %zu", alignment,
                     sizeof(void*));
  if (alignment > heap::alignment) {
    if (w.pe == 0) log::error("%s: alignment = %zu: at most %zu is possible", routine, alignment, heap::alignment);
    barrier(w, routine);
    return nullptr;
  }
  const std::size_t offset = take_block(w, routine, bytes, alignment);
  return offset == heap::nowhere ? nullptr : address_of(w, offset);
}

void* heap_malloc(world& w, const char* routine, std::size_t bytes) {
  return heap_align(w, routine, heap::grain, bytes);
}

// Pages beyond the high-water mark have never been touched: they are zero without being written.
void* heap_calloc(world& w, const char* routine, std::size_t count, std::size_t bytes) {
  std::size_t total = 0;
  if (count == 0 || bytes == 0) return nullptr;
  if (__builtin_mul_overflow(count, bytes, &total)) total = SIZE_MAX;
  const std::size_t high_water = w.heap.high_water();
  void* block = heap_malloc(w, routine, total);
  if (block == nullptr) return nullptr;
  const auto offset = static_cast<std::size_t>(static_cast<char*>(block) - address_of(w, 0));
  if (offset < high_water) memset(block, 0, high_water - offset < total ? high_water - offset : total);
  barrier(w, routine);  // nobody writes into it before it has been cleared
  return block;
}

void* heap_realloc(world& w, const char* routine, void* block, std::size_t bytes) {
  if (block == nullptr) return heap_malloc(w, routine, bytes);
  if (bytes == 0) {
    heap_free(w, routine, block);
    return nullptr;
  }
  const std::size_t offset = offset_of(w, routine, block);
  const std::size_t had = w.heap.size_of(offset);
  op::quiet(here(w, routine));
  barrier(w, routine);  // puts into the old block have arrived
  if (bytes <= had || (bytes - had < large_block && w.heap.report().used + bytes - had <= w.affordable)) {
    if (w.heap.resize(offset, bytes)) {
      barrier(w, routine);
      return block;
    }
  }
  const std::size_t moved = take_block(w, routine, bytes, heap::grain);
  if (moved == heap::nowhere) return nullptr;
  memcpy(address_of(w, moved), block, had < bytes ? had : bytes);
  w.heap.free(offset);
  barrier(w, routine);
  return address_of(w, moved);
}

void heap_free(world& w, const char* routine, void* block) {
  if (block == nullptr) return;
  const std::size_t offset = offset_of(w, routine, block);
  op::quiet(here(w, routine));
  barrier(w, routine);
  w.heap.free(offset);
}

}  // namespace oshen::coll
