// A team: an ordered set of PEs, its place in the team slots, and the algorithms chosen for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "world/context.hpp"
#include "world/control.hpp"

namespace oshen {

struct world;
namespace coll {
struct observer;
struct early_parcel;
}

inline constexpr int collective_kinds = 16;  // coll/registry.hpp enumerates them
inline constexpr int size_classes = 48;      // by the bit width of the message

struct team {
  world* home = nullptr;
  std::uint32_t handle = 0;
  int slot = -1;
  int n_pes = 0;
  int my_pe = -1;              // this PE's number in the team
  int start = 0;               // PE i of the team is start + i * stride of the world ...
  int stride = 1;
  const int* list = nullptr;   // ... or list[i], owned by the team
  int num_contexts = 0;
  std::uint64_t active_set_key = 0;  // not 0: stands for a deprecated active set

  // How far this PE has come. Collectives on one team are called by one thread at a time.
  std::uint64_t syncs = 0;
  std::uint64_t collectives = 0;
  bool used_room = false;        // somebody may have written into this PE's room
  std::uint64_t formations = 0;  // teams cut from this one

  // Belong to coll: who watches (observer.hpp), messages that came before they were asked for (message.hpp), private
  // memory that is kept from one collective to the next.
  coll::observer* watcher = nullptr;
  coll::early_parcel* early = nullptr;
  void* scratch = nullptr;
  std::size_t scratch_bytes = 0;

  // The team's own context: address arithmetic for the collectives.
  context reach;
  // Index into coll::registry() for each collective and size class (coll/selection.hpp).
  std::uint8_t chosen[collective_kinds][size_classes] = {};

  int world_pe(int pe) const { return list != nullptr ? list[pe] : start + pe * stride; }
  // The team's slot in the slice of its PE `pe`.
  team_slot& slot_of(int pe) const {
    return byte_offset(reach.control, reach.hop_to(static_cast<std::uint32_t>(pe)))->slots[slot];
  }
  team_slot& own_slot() const { return reach.control->slots[slot]; }
  // The team's room in the slice of its PE `pe`, and in that of this PE; only where `slot` is below `rooms`.
  room& room_of(int pe) const {
    return byte_offset(reach.control, reach.hop_to(static_cast<std::uint32_t>(pe)))->team_rooms[slot];
  }
  room& own_room() const { return reach.control->team_rooms[slot]; }
};

}  // namespace oshen
