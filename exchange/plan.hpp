// The plan: this PE's messages, sorted by peer, with the places they have on the wire, and the
// state of the run that is under way.
//
// All messages between two PEs in one direction, of all fields, make one parcel: field after field,
// messages in the order listed. What a PE keeps for itself is not among `sends` and `receives`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "plan_barrier.hpp"
#include "group.hpp"
#include "list_copy.hpp"
#include "oshen/exchange.h"
#include "strategy.hpp"
#include "in_place_transpose.hpp"
#include "watch.hpp"

namespace oshen::exchange {

inline constexpr std::size_t max_fields = 16;

struct message {
  int number;           // in the caller's list
  std::size_t offset;   // in one field of its parcel
  oshen_box_t box;      // axes in the order of the wire
  offset_list offsets;  // where its elements lie, if not as the box says
};

struct parcel {
  int peer;                // number in the group
  int pe;                  // number in the world
  std::byte* direct;       // the peer's arena, where it is mapped; else null
  std::size_t bytes = 0;   // of all fields
  bool mutual = false;     // there is a parcel the other way as well
  std::size_t word = 0;    // of this PE: "send" or "arrived", see oshen_plan
  std::size_t staged = 0;  // its place in staging memory
  std::vector<message> messages;
  std::vector<oshen_box_t> far_boxes;  // the peer's side of each message, where a strategy needs it ...
  std::vector<offset_list> far_offsets;  // ... with a list where that side or this has one
};

inline bool has_list(const parcel& p) {
  return std::ranges::any_of(p.messages, [](const message& m) { return !m.offsets.empty(); });
}

enum class outgoing_state { pending, staged, sent };  // in `in`, in staging memory, gone

struct outgoing : parcel {
  outgoing_state state = outgoing_state::sent;
  unsigned order = 0;      // of the axes on the wire, see reordered()
  std::size_t packed = 0;  // in our arena, for strategies with packs
  // in the receiver's arena:
  std::size_t slot = 0, slot_step = 0;
  std::size_t arrived = 0;  // its word
  std::size_t offers = 0;   // where it looks for our addresses
};

enum class incoming_state { expected, here, reported };  // here: in `out`; reported: by wait_any

struct incoming : parcel {
  incoming_state state = incoming_state::reported;
  std::size_t slot = 0;  // in our arena
  // in the sender's arena:
  std::size_t packed = 0, packed_step = 0;
  std::size_t ready = 0;        // its word
  std::size_t invitations = 0;  // where it looks for our addresses
};

struct lateness {
  std::uint64_t runs = 0;
  double seconds = 0;
};

// A part of a buffer: what lies in [low, high).
struct byte_range {
  std::size_t low = 0, high = 0;
};

}  // namespace oshen::exchange

struct oshen_plan {
  oshen_group_t* group = nullptr;
  const oshen::exchange::strategy* how = nullptr;
  // The row by which parcels travel: `how`, unless that has left them to another when the plan was made.
  const oshen::exchange::strategy* way = nullptr;

  // What is to be done.
  std::vector<oshen::exchange::outgoing> sends;     // in rotation from the next PE
  std::vector<oshen::exchange::incoming> receives;  // in rotation from the previous PE
  oshen::exchange::outgoing own_send;               // to oneself
  oshen::exchange::incoming own_receive;
  oshen::exchange::in_place_transpose own_transpose;  // where all is kept, for runs in place
  bool transposes = false;         // whether there is one
  decltype(oshen_plan_attr_t::pack) pack = nullptr;
  decltype(oshen_plan_attr_t::unpack) unpack = nullptr;
  void* context = nullptr;
  std::size_t n_fields = 1, in_step = 0, out_step = 0;
  unsigned buffers = 0;
  oshen::exchange::byte_range in_range, out_range;  // what boxes touch in one field

  // Memory. Words: [0, receives) "arrived" of each parcel, then "send" of each, then the barrier's.
  oshen::exchange::arena_block block{};  // in the arena
  std::size_t slot_step = 0, pack_step = 0;
  oshen::exchange::watch watch;
  std::size_t invitations = 0, offers = 0;  // offsets in the arena of addresses told by peers
  oshen::exchange::plan_barrier barrier;
  std::size_t staging_bytes = 0;
  oshen::exchange::staging_memory staging;  // borrowed for a run
  void* extra = nullptr;                    // of a strategy with `open`

  // The run under way.
  bool active = false;
  std::uint64_t run = 0;             // its number, from 1
  std::vector<const std::byte*> in;  // of each field
  std::vector<std::byte*> out;
  bool aliased = false;  // `in` and `out` overlap
  std::size_t pending = 0, unsent = 0, expected = 0, unreported = 0, ungreeted = 0;

  // What happened.
  oshen_plan_stats_t stats{};
  std::vector<oshen::exchange::lateness> late;  // for each word
  std::vector<double> measured;                 // by "auto", for each row of the table

  std::size_t send_word(std::size_t send) const { return receives.size() + send; }
  std::size_t barrier_word() const { return receives.size() + sends.size(); }
  std::size_t n_words() const {
    return barrier_word() + static_cast<std::size_t>(barrier.rounds());
  }
  int peer_of_word(std::size_t word) const;
  std::byte* memory(std::size_t offset) const { return group->arena->base + offset; }
  // Where in our arena a peer tells addresses of its buffers, one for each field.
  std::size_t offer_of(const oshen::exchange::incoming& p) const {
    return offers + p.word * n_fields * sizeof(std::uint64_t);
  }
  std::size_t invitation_of(const oshen::exchange::outgoing& p) const {
    return invitations + (p.word - receives.size()) * n_fields * sizeof(std::uint64_t);
  }
};
