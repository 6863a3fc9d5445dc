// The call site of an operation, which is its context and its routine, and the address arithmetic towards near peers. A
// put on a node executes only code of this file, op/rma.hpp and op/copy.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "world/context.hpp"
#include "world/team.hpp"

namespace oshen::op {

struct call_site {
  const context* ctx;
  const char* routine;  // for error messages; the optimiser keeps it off the fast path
};

[[gnu::always_inline]] inline call_site site_of(const context& ctx, const char* routine) { return {&ctx, routine}; }
[[gnu::always_inline]] inline call_site site_of(const team& members, const char* routine) {
  return {&members.ctx, routine};
}

// ---- incorrect use: prints an error and ends the job -----------------------------------------------------

// Call sites are passed by value, in registers, so that a correct operation stores nothing for them.
[[noreturn, gnu::cold]] void bad_pe(call_site at, int pe);
[[noreturn, gnu::cold]] void bad_address(call_site at, const char* argument, const void* address, std::size_t bytes);
[[noreturn, gnu::cold]] void misaligned(call_site at, const char* argument, const void* address, std::size_t alignment);
[[noreturn, gnu::cold, gnu::format(printf, 2, 3)]] void bad_argument(call_site at, const char* format, ...);

// ---- addresses and peers ------------------------------------------------------------------------------------

// True if `bytes` bytes from `offset` on lie in an area of `area` bytes. A size known at compile time needs one
// comparison, because areas are at least a cache line long.
[[gnu::always_inline]] inline bool fits(std::size_t offset, std::size_t bytes, std::size_t area) {
  if (__builtin_constant_p(bytes) && bytes <= cache_line) return offset <= area - bytes;
  return offset < area && bytes <= area - offset;
}

// Checks that the bytes lie in the heap or in the static data. Returns the distance from `address` to the same object
// in this PE's own slice.
[[gnu::always_inline]] inline std::ptrdiff_t own_slice(call_site at, const char* argument, const void* address,
                                                       std::size_t bytes) {
  const context& c = *at.ctx;
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  if (__builtin_expect(fits(a - c.heap_start, bytes, c.heap_bytes), 1)) return 0;
  if (__builtin_expect(fits(a - c.data_start, bytes, c.data_bytes), 1)) return c.data_to_slice;
  bad_address(at, argument, address, bytes);
}

// The same, and under OSHEN_CHECK also checks that the bytes lie within one block of the heap, by its requested size,
// or within one variable. If the block is memory of a team, PE `world_pe` must be one of its PEs. It is not for the
// fast path.
[[gnu::cold]] std::ptrdiff_t check_object(call_site at, const char* argument, const void* address, std::size_t bytes,
                                          int world_pe);
// The same for the object of this PE.
inline constexpr int this_pe = -1;
inline std::ptrdiff_t check_symmetric(call_site at, const char* argument, const void* address, std::size_t bytes) {
  return check_object(at, argument, address, bytes, this_pe);
}
// Checks that all PEs of the context's team have the block, if it is memory of a team. For OSHEN_CHECK only.
[[gnu::cold]] void check_team_has(call_site at, const char* argument, const void* address);
// Under OSHEN_CHECK, checks that the address of the caller's private memory is not NULL.
[[gnu::cold]] void check_private(call_site at, const char* argument, const void* address);

// The size of `n` elements in bytes. An overflow ends the job.
[[gnu::always_inline]] inline std::size_t bytes_of(call_site at, std::size_t n, std::size_t element) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(n, element, &bytes)) [[unlikely]]
    bad_argument(at, "nelems = %zu: exceeds the address space", n);
  return bytes;
}

// A peer on this node, and the distance to its slice.
struct near_peer {
  std::ptrdiff_t peer_offset;
  control_page* control;

  wake_flag& wakeup() const { return control->wakeup; }
};

// True if the PE is in the near range of the context (world/context.hpp). In all other cases the caller continues with
// op/slow_path.hpp: invalid numbers, teams without a constant stride, PEs of other nodes, OSHEN_CHECK.
[[gnu::always_inline]] inline bool find_near(call_site at, int pe, near_peer& p) {
  const context& c = *at.ctx;
  const std::uint32_t i = static_cast<std::uint32_t>(pe) - c.near_first;
  if (i >= c.near_count) [[unlikely]]
    return false;
  const std::ptrdiff_t peer_offset = c.near_offset + static_cast<std::ptrdiff_t>(i) * c.offset_step;
  p = {peer_offset, byte_offset(c.control, peer_offset)};
  return true;
}

// The same for atomic operations that CPUs execute. Where cards execute all, they continue with op/slow_path.hpp.
[[gnu::always_inline]] inline bool find_near_for_atomic(call_site at, int pe, near_peer& p) {
  const context& c = *at.ctx;
  const std::uint32_t i = static_cast<std::uint32_t>(pe) - c.near_first;
  if (i >= c.atomic_near_count) [[unlikely]]
    return false;
  const std::ptrdiff_t peer_offset = c.near_offset + static_cast<std::ptrdiff_t>(i) * c.offset_step;
  p = {peer_offset, byte_offset(c.control, peer_offset)};
  return true;
}

// The distance from `address` here to the peer's object.
[[gnu::always_inline]] inline std::ptrdiff_t offset_to(call_site at, const near_peer& p, const char* argument,
                                                       const void* address, std::size_t bytes) {
  return own_slice(at, argument, address, bytes) + p.peer_offset;
}

// The peer's object that corresponds to `address` here.
template <class T>
[[gnu::always_inline]] inline T* peer_address(call_site at, const near_peer& p, const char* argument, T* address,
                                              std::size_t bytes) {
  return byte_offset(address, offset_to(at, p, argument, address, bytes));
}

// The same for atomic operations, which need natural alignment.
template <class T>
[[gnu::always_inline]] inline T* aligned_peer_address(call_site at, const near_peer& p, const char* argument,
                                                      T* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) [[unlikely]]
    misaligned(at, argument, address, sizeof(T));
  return peer_address(at, p, argument, address, sizeof(T));
}

// The distance to an object on which CPUs execute the operations. False: a card does, or the address is wrong; the
// caller continues with op/slow_path.hpp.
template <class T>
[[gnu::always_inline]] inline bool find_cpu_object(call_site at, const near_peer& p, const T* address,
                                                   std::ptrdiff_t& offset) {
  const context& c = *at.ctx;
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  if (a % sizeof(T) != 0) [[unlikely]]
    return false;
  if (__builtin_expect(fits(a - c.heap_start, sizeof(T), c.cpu_bytes), 1)) {
    offset = p.peer_offset;
    return true;
  }
  offset = c.data_to_slice + p.peer_offset;
  return __builtin_expect(fits(a - c.data_start, sizeof(T), c.data_bytes), 1);
}

}  // namespace oshen::op
