// Where an operation happens: on which context, in which routine of the user. And the address arithmetic:
// the whole way of an on-node put is here and in op/rma.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "world/context.hpp"

namespace oshen::op {

struct site {
  const context* where;
  const char* routine;  // for the error line; the optimiser keeps it off the fast path
};

// ---- bad use: one line, and the end of the job -----------------------------------------------------------

// Sites are passed by value: in registers, and nothing is stored on the way of an operation that is right.
[[noreturn, gnu::cold]] void bad_pe(site at, int pe);
[[noreturn, gnu::cold]] void bad_address(site at, const char* argument, const void* address, std::size_t bytes);
[[noreturn, gnu::cold]] void misaligned(site at, const char* argument, const void* address, std::size_t alignment);
[[noreturn, gnu::cold, gnu::format(printf, 2, 3)]] void bad_argument(site at, const char* format, ...);

// ---- reaching a peer ---------------------------------------------------------------------------------------

// True when `bytes` bytes from `offset` on lie in an area of `area` bytes. A size known at compile time costs
// one comparison: areas are at least a cache line long.
[[gnu::always_inline]] inline bool fits(std::size_t offset, std::size_t bytes, std::size_t area) {
  if (__builtin_constant_p(bytes) && bytes <= cache_line) return offset <= area - bytes;
  return offset < area && bytes <= area - offset;
}

// The range must lie in the heap or in the static data; the same address may then be moved to any peer.
// Returns what to add to reach this PE's own slice.
[[gnu::always_inline]] inline std::ptrdiff_t own_slice(site at, const char* argument, const void* address,
                                                       std::size_t bytes) {
  const context& c = *at.where;
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  if (__builtin_expect(fits(a - c.heap, bytes, c.heap_bytes), 1)) return 0;
  if (__builtin_expect(fits(a - c.data, bytes, c.data_bytes), 1)) return c.data_to_slice;
  bad_address(at, argument, address, bytes);
}

// A peer, and the way to it.
struct peer {
  std::ptrdiff_t hop;
  control_page* control;

  doorbell& bell() const { return control->bell; }
};

[[gnu::always_inline]] inline peer find(site at, int pe) {
  const context& c = *at.where;
  if (static_cast<std::uint32_t>(pe) >= c.n_pes) [[unlikely]] bad_pe(at, pe);
  const std::ptrdiff_t hop = c.hop_to(static_cast<std::uint32_t>(pe));
  return {hop, byte_offset(c.control, hop)};
}

// The peer's object that corresponds to `address` here.
template <class T>
[[gnu::always_inline]] inline T* there(site at, const peer& p, const char* argument, T* address,
                                       std::size_t bytes) {
  return byte_offset(address, own_slice(at, argument, address, bytes) + p.hop);
}

// The same for atomics, which need natural alignment.
template <class T>
[[gnu::always_inline]] inline T* there_aligned(site at, const peer& p, const char* argument, T* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) [[unlikely]]
    misaligned(at, argument, address, sizeof(T));
  return there(at, p, argument, address, sizeof(T));
}

}  // namespace oshen::op
