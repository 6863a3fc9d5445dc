// A context: an independent stream of operations on the PEs of one team (OpenSHMEM 1.6, 9.4).
//
// An operation on a PE of this node is complete when the call returns or at the next fence. For such PEs a context is
// read-only after its creation: it holds the address arithmetic of its team. Its *channel* holds the operations on
// other nodes that are in progress. Threads with separate contexts share no data that is written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "world/control.hpp"

namespace oshen {

struct world;
struct team;
namespace transport {
struct channel;
}

struct alignas(cache_line) context {
  // The ranges of symmetric addresses in this process. At first both are the last line of the address space, where no
  // object can be.
  static constexpr std::uintptr_t nowhere = UINTPTR_MAX - (cache_line - 1);
  std::uintptr_t heap_start = nowhere;
  std::size_t heap_bytes = cache_line;
  std::uintptr_t data_start = nowhere;  // static data of the executable
  std::size_t data_bytes = cache_line;
  // The near range: the `near_count` PEs of the team from `near_first` on. They are mapped here, and the slice of the
  // i-th of them is near_offset + i * offset_step bytes from this PE's slice. One comparison with this range shows that
  // the library is initialised, that the PE number is valid, and that the PE is on this node; all other cases are
  // handled out of line (op/slow_path.hpp). The range is empty if the PEs of the team have no constant stride.
  std::uint32_t near_first = 0;
  std::uint32_t near_count = 0;
  std::ptrdiff_t near_offset = 0;
  std::ptrdiff_t offset_step = 0;
  control_page* control = nullptr;      // of this PE
  std::uint32_t atomic_near_count = 0;  // near_count, or 0 if cards execute all atomic operations
  std::ptrdiff_t data_to_slice = 0;     // from a static object to the same bytes in this PE's slice

  // The part of the heap's range with the objects whose atomic operations CPUs execute; objects of cards lie behind it.
  std::size_t cpu_bytes = cache_line;
  // Not 0 if fence and quiet must do more than order stores: the library is not initialised, or there is a channel.
  std::uint32_t special = 1;

  std::uint32_t n_pes = 0;  // 0 while the library is not initialised
  // The distance to the slice of a near PE i: first_offset + i * offset_step, or peer_offsets[i] if the PEs have no
  // constant stride.
  const std::ptrdiff_t* peer_offsets = nullptr;
  std::ptrdiff_t first_offset = 0;
  std::uintptr_t handle = 0;
  // The objects of the heap whose atomic operations the direct path to other nodes executes, if it does any.
  std::uintptr_t direct_start = nowhere;
  std::size_t direct_bytes = cache_line;
  transport::channel* channel = nullptr;  // null: no PE of the team is on another node, and no card has atomics
  world* home = nullptr;
  team* members = nullptr;
  long option_bits = 0;
  long session_options = 0;
  bool by_card = false;  // cards execute all atomic operations of the program (OSHEN_ATOMICS=card)
  bool owns_channel = false;
  bool is_packing = false;   // the session packs small operations (SHMEM_CTX_SESSION_BATCH)
  bool is_counting = false;  // operations count (world/performance.hpp)
  std::size_t session_total_ops = SIZE_MAX;

  // The distance to the slice of PE `pe`, which is near.
  [[gnu::always_inline]] std::ptrdiff_t offset_to(std::uint32_t pe) const {
    if (peer_offsets != nullptr) [[unlikely]]
      return peer_offsets[pe];
    return first_offset + static_cast<std::ptrdiff_t>(pe) * offset_step;
  }
  static constexpr std::ptrdiff_t no_offset = PTRDIFF_MIN;  // in `peer_offsets`: the PE is on another node
  bool is_near(std::uint32_t pe) const {
    return pe - near_first < near_count || (peer_offsets != nullptr && peer_offsets[pe] != no_offset);
  }
};

}  // namespace oshen
