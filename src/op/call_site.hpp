// Where an operation happens: on which context, in which routine of the user. And the address arithmetic:
// all that an on-node put executes is here and in op/rma.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "world/context.hpp"

namespace oshen::op {

struct call_site {
  const context* where;
  const char* routine;  // for the error line; the optimiser keeps it off the fast path
};

// ---- bad use: one line, and the end of the job -----------------------------------------------------------

// Sites are passed by value: in registers, and nothing is stored on the way of an operation that is right.
[[noreturn, gnu::cold]] void bad_pe(call_site at, int pe);
[[noreturn, gnu::cold]] void bad_address(call_site at, const char* argument, const void* address, std::size_t bytes);
[[noreturn, gnu::cold]] void misaligned(call_site at, const char* argument, const void* address, std::size_t alignment);
[[noreturn, gnu::cold, gnu::format(printf, 2, 3)]] void bad_argument(call_site at, const char* format, ...);

// ---- reaching a peer ---------------------------------------------------------------------------------------

// True when `bytes` bytes from `offset` on lie in an area of `area` bytes. A size known at compile time costs
// one comparison: areas are at least a cache line long.
[[gnu::always_inline]] inline bool fits(std::size_t offset, std::size_t bytes, std::size_t area) {
  if (__builtin_constant_p(bytes) && bytes <= cache_line) return offset <= area - bytes;
  return offset < area && bytes <= area - offset;
}

// The range must lie in the heap or in the static data; the same address may then be moved to any peer.
// Returns what to add to reach this PE's own slice.
[[gnu::always_inline]] inline std::ptrdiff_t own_slice(call_site at, const char* argument, const void* address,
                                                       std::size_t bytes) {
  const context& c = *at.where;
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  if (__builtin_expect(fits(a - c.heap, bytes, c.heap_bytes), 1)) return 0;
  if (__builtin_expect(fits(a - c.data, bytes, c.data_bytes), 1)) return c.data_to_slice;
  bad_address(at, argument, address, bytes);
}

// Under OSHEN_CHECK: own_slice(), and the bytes lie in one block of the heap as it was asked for. Not for the short
// ways.
[[gnu::cold]] std::ptrdiff_t look_closer(call_site at, const char* argument, const void* address, std::size_t bytes);
// The same setting: the address of the caller's own memory is not NULL.
[[gnu::cold]] void check_private(call_site at, const char* argument, const void* address);

// Bytes of `n` elements; what overflows ends the job.
[[gnu::always_inline]] inline std::size_t bytes_of(call_site at, std::size_t n, std::size_t element) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(n, element, &bytes)) [[unlikely]]
    bad_argument(at, "nelems = %zu: exceeds the address space", n);
  return bytes;
}

// A peer on this node, and how far it is.
struct peer {
  std::ptrdiff_t peer_offset;
  control_page* control;

  wake_flag& wakeup() const { return control->wakeup; }
};

// True where the PE lies in the near window of the context. False: bad numbers, teams that follow no rule, other nodes,
// OSHEN_CHECK; the caller leaves all that to op/other_node.hpp.
[[gnu::always_inline]] inline bool in_window(call_site at, int pe, peer& p) {
  const context& c = *at.where;
  const std::uint32_t i = static_cast<std::uint32_t>(pe) - c.near_first;
  if (i >= c.near_count) [[unlikely]] return false;
  const std::ptrdiff_t peer_offset = c.near_offset + static_cast<std::ptrdiff_t>(i) * c.offset_step;
  p = {peer_offset, byte_offset(c.control, peer_offset)};
  return true;
}

// How far it is from `address` here to the peer's object.
[[gnu::always_inline]] inline std::ptrdiff_t offset_to(call_site at, const peer& p, const char* argument,
                                                       const void* address, std::size_t bytes) {
  return own_slice(at, argument, address, bytes) + p.peer_offset;
}

// The peer's object that corresponds to `address` here.
template <class T>
[[gnu::always_inline]] inline T* there(call_site at, const peer& p, const char* argument, T* address,
                                       std::size_t bytes) {
  return byte_offset(address, offset_to(at, p, argument, address, bytes));
}

// The same for atomics, which need natural alignment.
template <class T>
[[gnu::always_inline]] inline std::ptrdiff_t aligned_offset_to(call_site at, const peer& p, const char* argument,
                                                               const T* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) [[unlikely]]
    misaligned(at, argument, address, sizeof(T));
  return offset_to(at, p, argument, address, sizeof(T));
}
template <class T>
[[gnu::always_inline]] inline T* there_aligned(call_site at, const peer& p, const char* argument, T* address) {
  return byte_offset(address, aligned_offset_to(at, p, argument, address));
}

}  // namespace oshen::op
