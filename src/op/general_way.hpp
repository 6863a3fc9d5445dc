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

// The peer's object; checks the address thoroughly.
[[gnu::always_inline]] inline char* object_of(call_site at, const near_peer& p, const char* argument,
                                              const void* address, std::size_t bytes) {
  const std::ptrdiff_t offset = check_symmetric(at, argument, address, bytes) + p.peer_offset;
  return byte_offset(static_cast<char*>(const_cast<void*>(address)), offset);
}

// Counts an operation on a PE of this node. Such operations come here only while their context counts, and if the near
// range does not cover the PE.
[[gnu::noinline, gnu::cold]] void count_near(call_site at, counted kind, int world_pe, std::size_t bytes);

inline std::uint64_t offset_of(call_site at, const char* argument, const void* address, std::size_t bytes) {
  const std::ptrdiff_t shift = own_slice(at, argument, address, bytes);
  return static_cast<std::uint64_t>(byte_offset(static_cast<const char*>(address), shift) -
                                    reinterpret_cast<const char*>(at.ctx->control));
}

// The number in the job of a PE that may have an open pack; less than 0: it has none. A near PE never has one.
inline int packing_target(call_site at, int pe) {
  const context& c = *at.ctx;
  if (static_cast<std::uint32_t>(pe) >= c.n_pes || c.channel == nullptr || c.home->config.check) return -1;
  return c.members->world_pe(pe);
}

}  // namespace oshen::op
