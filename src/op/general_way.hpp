// Steps of the general way that its files share (op/slow_path.cpp, op/atomic_slow.cpp).
#pragma once

#include "op/call_site.hpp"
#include "op/slow_path.hpp"
#include "world/performance.hpp"
#include "world/world.hpp"

namespace oshen::op {

// An operation that goes directly keeps its arguments in memory for the general way, because saving them in registers
// across the call would cost more than the rest of the call.
template <class Arguments>
[[gnu::always_inline]] inline void keep_in_memory(Arguments& t) {
  asm volatile("" : "+m"(t));
}

inline void check_alignment(call_site at, const char* argument, const void* object, std::size_t width) {
  if (reinterpret_cast<std::uintptr_t>(object) % width != 0) misaligned(at, argument, object, width);
}

// The object of a near PE; checks the address thoroughly.
[[gnu::always_inline]] inline char* object_of(call_site at, const peer_location& p, const char* argument,
                                              const void* address, std::size_t bytes) {
  const std::ptrdiff_t offset = check_object(at, argument, address, bytes, p.world_pe) + p.mapped.peer_offset;
  return byte_offset(static_cast<char*>(const_cast<void*>(address)), offset);
}

// Counts an operation on a PE of this node. Such operations come here only while their context counts, and if the near
// range does not cover the PE.
[[gnu::noinline, gnu::cold]] void count_near(call_site at, counted kind, int world_pe, std::size_t bytes);

// True if the object lies in the card heap (world/team_heap.hpp), so the card executes all atomic operations on it, and
// updates it if it is a signal. In jobs with such a card every context has a channel.
inline bool is_in_card_heap(const context& c, const void* object) {
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(object) - c.heap_start;
  return c.channel != nullptr && offset < c.heap_bytes && offset >= c.home->card_begin;
}
// True if the card executes the atomic operations on the object.
inline bool is_of_card(const context& c, const void* object) {
  return c.channel != nullptr && (c.by_card || is_in_card_heap(c, object));
}

inline std::uint64_t offset_of(call_site at, const char* argument, const void* address, std::size_t bytes) {
  const std::ptrdiff_t shift = own_slice(at, argument, address, bytes);
  return static_cast<std::uint64_t>(byte_offset(static_cast<const char*>(address), shift) -
                                    reinterpret_cast<const char*>(at.ctx->control));
}

// The same for an object whose atomic operations CPUs execute. False: it is none, or the address is wrong.
inline bool find_cpu_offset(const context& c, const void* object, std::size_t bytes, std::uint64_t& offset) {
  const auto a = reinterpret_cast<std::uintptr_t>(object);
  const bool is_in_heap = fits(a - c.heap_start, bytes, c.cpu_bytes);
  if (!is_in_heap && !fits(a - c.data_start, bytes, c.data_bytes)) return false;
  const std::ptrdiff_t shift = is_in_heap ? 0 : c.data_to_slice;
  offset = a + static_cast<std::uintptr_t>(shift) - reinterpret_cast<std::uintptr_t>(c.control);
  return true;
}

// The number in the job of a PE that may have an open pack; less than 0: it has none. A near PE never has one.
inline int packing_target(call_site at, int pe) {
  const context& c = *at.ctx;
  if (static_cast<std::uint32_t>(pe) >= c.n_pes || c.channel == nullptr || c.home->config.check) return -1;
  return c.members->world_pe(pe);
}

}  // namespace oshen::op
