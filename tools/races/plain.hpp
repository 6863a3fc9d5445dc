// Loads and stores of the program. The functions that the compiler calls contain the tests that make most checks
// unnecessary.
#pragma once

#include <cstddef>
#include <cstdint>

#include "detector.hpp"
#include "sites.hpp"

namespace races {

// Whether an access by this thread since the last release of its PE, to all of these bytes, races with all that a load
// or store of them would race with. Reads without the lock: a wrong answer only loses an access.
inline bool is_repeated(const cell& c, std::uint32_t bytes, bool writes) {
  const std::uint32_t clock = of_this_pe.clock(),
                      maker = access::made_by(of_this_pe.me(), 0, this_thread().id, this_thread().locks);
  const std::uint32_t has = bytes << access::bytes_at | (writes ? access::stores_bit : 0);
  const std::uint32_t hides = has | access::how_mask | access::atomic_bit | access::buffer_bit;
  const region& shared = of_this_pe.shared();
  for (const shadow_record& r : c.records) {
    if (clock_of(r) != clock) continue;
    const access a = shared.unpacked(r, of_this_pe.me());
    if ((((a.what & hides) ^ has) | (a.maker ^ maker)) == 0) return true;
  }
  return false;
}

// A load or store of bytes of one cell at `offset` in the symmetric memory of this PE that is_repeated does not show.
// `which`: a bit for each byte. It is no part of watched_access, which so needs no stack.
void first_access(std::size_t offset, std::uint32_t which, std::size_t bytes, bool writes, plain_routine routine,
                  const void* caller);

// A load or store of up to 16 bytes at an address that is watched.
[[gnu::always_inline]] inline void watched_access(const void* address, std::size_t bytes, bool writes,
                                                  plain_routine routine, const void* caller) {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const std::size_t low = a % cell::memory, first = bytes < cell::memory ? bytes : cell::memory;
  const std::size_t in_heap = a - watched.heap.start, in_statics = a - watched.statics.start;
  const bool heap = in_heap < watched.heap.bytes;
  const bool in_cells = (heap || in_statics < watched.statics.bytes) && low + first <= cell::memory;
  if (in_cells) {
    const std::size_t offset = heap ? watched.statics.bytes + in_heap : in_statics;
    const cell* const c = watched.cells + offset / cell::memory;
    const std::uint32_t which = ((1u << first) - 1) << low;
    if (is_repeated(*c, which, writes) && (first == bytes || is_repeated(c[1], which, writes))) return;
    if (first == bytes) return first_access(offset, which, bytes, writes, routine, caller);
  }
  of_this_pe.touch(address, bytes, writes, routine, caller);
}

// The same for any address, most of which are not watched: the rest is a function of its own, which needs registers.
template <std::size_t bytes, bool writes>
[[gnu::noinline]] void watched_element(const void* address, const void* caller) {
  watched_access(address, bytes, writes, writes ? a_store : a_load, caller);
}
template <std::size_t bytes, bool writes>
[[gnu::always_inline]] inline void plain_access(const void* address, const void* caller) {
  if (watched.contain(address)) watched_element<bytes, writes>(address, caller);
}

// A range of any length.
inline void touch_block(const void* a, std::size_t n, bool writes, plain_routine routine, const void* caller) {
  if (!watched.contain(a) || n == 0) return;
  if (n <= cell::memory) {
    watched_access(a, n, writes, routine, caller);
  } else {
    of_this_pe.touch(a, n, writes, routine, caller);
  }
}

}  // namespace races
