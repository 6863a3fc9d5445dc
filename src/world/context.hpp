// A context: an independent stream of operations on the PEs of one team (OpenSHMEM 1.6, 9.4).
//
// Towards PEs of this node every operation is complete when the call returns or at the next fence, so a context holds
// no state that such operations change: it is the address arithmetic of its team, read-only after creation. Operations
// on other nodes are under way in its *lane*. Threads with contexts of their own share nothing that is written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "world/control.hpp"

namespace oshen {

struct world;
struct team;
namespace transport {
struct lane;
}

struct alignas(cache_line) context {
  // Where a symmetric address may lie, in this process. Nowhere, to begin with: the last line of the address
  // space, where no object can be.
  static constexpr std::uintptr_t nowhere = UINTPTR_MAX - (cache_line - 1);
  std::uintptr_t heap = nowhere;
  std::size_t heap_bytes = cache_line;
  std::uintptr_t data = nowhere;   // static data of the executable
  std::size_t data_bytes = cache_line;
  // The near window: PEs near_first, near_first + 1, ... of the team, near_count of them, are mapped here, and lie at
  // near_offset + i * offset_step from this PE's slice. One comparison tells "a valid PE", "of this node" and
  // "initialised"; everybody else is looked at out of line (op/other_node.hpp). Empty where the PEs of the team follow
  // no rule.
  std::uint32_t near_first = 0;
  std::uint32_t near_count = 0;
  std::ptrdiff_t near_offset = 0;
  std::ptrdiff_t offset_step = 0;
  control_page* control = nullptr;  // of this PE
  std::ptrdiff_t data_to_slice = 0;  // from a static object to the same bytes in this PE's slice
  // Not 0: fence and quiet have more to do than order stores. The library is not initialised, or there is a lane.
  std::uint32_t special = 1;

  std::uint32_t n_pes = 0;         // 0 while the library is not initialised
  // For those who know that PE i is near: first_offset + i * offset_step, or peer_offsets[i] where the PEs follow no
  // rule.
  const std::ptrdiff_t* peer_offsets = nullptr;
  std::ptrdiff_t first_offset = 0;
  std::uintptr_t handle = 0;
  transport::lane* lane = nullptr;  // null: no PE of the team is on another node
  bool owns_lane = false;
  world* home = nullptr;
  team* members = nullptr;
  long options = 0;
  long session_options = 0;
  std::size_t session_total_ops = SIZE_MAX;

  // Of a PE of this node.
  [[gnu::always_inline]] std::ptrdiff_t offset_to(std::uint32_t pe) const {
    if (peer_offsets != nullptr) [[unlikely]] return peer_offsets[pe];
    return first_offset + static_cast<std::ptrdiff_t>(pe) * offset_step;
  }
  static constexpr std::ptrdiff_t no_offset = PTRDIFF_MIN;  // in `peer_offsets`: on another node
  bool is_near(std::uint32_t pe) const {
    return pe - near_first < near_count || (peer_offsets != nullptr && peer_offsets[pe] != no_offset);
  }
};

}  // namespace oshen
