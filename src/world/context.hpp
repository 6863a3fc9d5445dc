// A context: an independent stream of operations on the PEs of one team (OpenSHMEM 1.6, 9.4).
//
// On a node every operation is complete when the call returns or at the next fence, so a context holds no
// state that operations change: it is the address arithmetic of its team, read-only after creation. Threads
// with contexts of their own share nothing that is written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "world/control.hpp"

namespace oshen {

struct world;
struct team;

struct alignas(cache_line) context {
  // Where a symmetric address may lie, in this process. Nowhere, to begin with: the last line of the address
  // space, where no object can be.
  static constexpr std::uintptr_t nowhere = UINTPTR_MAX - (cache_line - 1);
  std::uintptr_t heap = nowhere;
  std::size_t heap_bytes = cache_line;
  std::uintptr_t data = nowhere;   // static data of the executable
  std::size_t data_bytes = cache_line;
  std::ptrdiff_t data_to_slice = 0;  // from a static object to the same bytes in this PE's slice

  // From this PE's slice to that of PE i of the team: first_hop + i * hop_step, or hops[i] where the PEs
  // follow no rule.
  const std::ptrdiff_t* hops = nullptr;
  std::ptrdiff_t first_hop = 0;
  std::ptrdiff_t hop_step = 0;
  std::uint32_t n_pes = 0;         // 0 while the library is not initialised: every PE is out of range then

  std::uint32_t handle = 0;
  control_page* control = nullptr;  // of this PE
  world* home = nullptr;
  team* members = nullptr;
  long options = 0;
  long session_options = 0;
  std::size_t session_total_ops = SIZE_MAX;

  [[gnu::always_inline]] std::ptrdiff_t hop_to(std::uint32_t pe) const {
    if (hops != nullptr) [[unlikely]] return hops[pe];
    return first_hop + static_cast<std::ptrdiff_t>(pe) * hop_step;
  }
};

}  // namespace oshen
