// The plan: this PE's messages sorted by peer, their positions on the wire, and the state of the run under way.
//
// All messages from one PE to another, of all fields, form one parcel: field after field, messages in the order listed.
// Messages of a PE to itself are kept apart from `sends` and `receives`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exchange/copy/in_place_transpose.hpp"
#include "exchange/copy/list_copy.hpp"
#include "exchange/group/flag_wait.hpp"
#include "exchange/group/group.hpp"
#include "exchange/group/plan_barrier.hpp"
#include "exchange/plan/strategy.hpp"
#include "oshen/exchange.h"
#include "trials/choice_source.hpp"

namespace oshen::exchange {

inline constexpr std::size_t max_fields = 16;

struct message {
  int number;           // in the caller's list
  std::size_t offset;   // in one field of its parcel
  oshen_box_t box;      // axes in wire order
  offset_list offsets;  // offsets of the elements, if they are not in a box
};

struct parcel {
  int peer;                        // number in the group.
  int pe;                          // number in the world.
  std::byte* mapped;               // the peer's arena if it is mapped; else null.
  std::size_t bytes = 0;           // of all fields.
  bool mutual = false;             // there is a parcel in the other direction as well.
  std::size_t flag = 0;            // the flag on this PE: "ready" of a send, "arrived" of a receive.
  std::size_t staging_offset = 0;  // in staging memory.
  std::vector<message> messages;
  std::vector<oshen_box_t> peer_boxes;    // the peer's side of each message, if the strategy needs it ...
  std::vector<offset_list> peer_offsets;  // ... with a list if either side has one
};

inline bool has_list(const parcel& p) {
  return std::ranges::any_of(p.messages, [](const message& m) { return !m.offsets.empty(); });
}

// The data is in `in`; in staging memory; no longer needed here.
enum class outgoing_state { pending, staged, sent };

struct outgoing : parcel {
  outgoing_state state = outgoing_state::sent;
  unsigned axis_order = 0;  // of the axes on the wire, see reordered()
  std::size_t packed = 0;   // offset in our arena, for strategies with packs
  // Offsets in the receiver's arena.
  std::size_t slot = 0, slot_stride = 0;
  std::size_t arrived_flag = 0;
  std::size_t in_addresses = 0;  // where the receiver looks for the addresses of our `in`
};

// The data has not arrived; is in `out`; has been returned by wait_any.
enum class incoming_state { expected, arrived, reported };

struct incoming : parcel {
  incoming_state state = incoming_state::reported;
  std::size_t slot = 0;  // offset in our arena
  // Offsets in the sender's arena.
  std::size_t packed = 0, packed_stride = 0;
  std::size_t ready_flag = 0;
  std::size_t out_addresses = 0;  // where the sender looks for the addresses of our `out`
};

// The trials of candidate strategies in the first runs of a plan (choice/live_trials.hpp).
class run_trials {
 public:
  virtual ~run_trials() = default;
  // Whether the next run may start. At the end of a block this changes the candidate in `plan`. After the last block it
  // frees the trials themselves (`plan.trials`). Does not wait.
  virtual bool permits_start(oshen_plan& plan) = 0;
  // Waits until a peer has reported what permits_start needs. Only when no other run is under way.
  virtual void wait_for_peers() const = 0;
  // Adds time that a call of the API took.
  virtual void add(double seconds) = 0;
  // Records a run that was released, and reports the block if it was the last one of it.
  virtual void finish_run(const oshen_plan& plan) = 0;
  // For a plan that is destroyed before the result: peers may still report to it. Local.
  virtual void abandon() = 0;
};

struct lateness {
  std::uint64_t runs = 0;
  double seconds = 0;
};

// The bytes [low, high) of a buffer.
struct byte_range {
  std::size_t low = 0, high = 0;
};

}  // namespace oshen::exchange

struct oshen_plan {
  oshen_group_t* group = nullptr;
  const oshen::exchange::strategy* strategy = nullptr;
  // The strategy that moves the parcels: `strategy`, unless that one delegated them to another when the plan was made.
  const oshen::exchange::strategy* effective = nullptr;

  // The messages.
  std::vector<oshen::exchange::outgoing> sends;     // in rotation from the next PE
  std::vector<oshen::exchange::incoming> receives;  // in rotation from the previous PE
  oshen::exchange::outgoing own_send;               // from this PE to itself
  oshen::exchange::incoming own_receive;
  oshen::exchange::in_place_transpose own_transpose;  // for runs in place without any peer
  bool transposes = false;                            // whether own_transpose is valid
  decltype(oshen_plan_attr_t::pack) pack = nullptr;
  decltype(oshen_plan_attr_t::unpack) unpack = nullptr;
  void* context = nullptr;
  std::size_t n_fields = 1, in_step = 0, out_step = 0;
  unsigned buffers = 0;
  oshen::exchange::byte_range in_range, out_range;  // touched by the boxes in one field

  // Memory. Flags: [0, receives) "arrived" of each receive, then "ready" of each send, then those of the barrier.
  oshen::exchange::arena_block block{};  // in the arena
  oshen::exchange::arena_block data{};   // of the slots, if other candidates of "auto" shared them; else in `block`
  std::size_t slot_stride = 0, pack_stride = 0;
  oshen::exchange::flag_wait flags;
  std::size_t out_addresses = 0, in_addresses = 0;  // offsets in the arena of the addresses that peers write
  oshen::exchange::plan_barrier barrier;
  std::size_t staging_bytes = 0;
  oshen::exchange::staging_memory staging;  // borrowed for a run
  void* strategy_state = nullptr;           // made by the strategy's `open`

  // The run under way.
  bool active = false;
  bool deferred = false;             // started, but the trials do not permit the start yet
  std::uint64_t run = 0;             // its number, from 1
  std::vector<const std::byte*> in;  // of each field
  std::vector<std::byte*> out;
  bool aliased = false;  // `in` and `out` overlap
  // Counts of parcels: still in `in`; not yet sent; not yet received; not yet returned by wait_any; and of ready flags
  // that the run still waits for.
  std::size_t pending = 0, unsent = 0, expected = 0, unreported = 0, awaited_ready = 0;

  // Statistics.
  oshen_plan_stats_t stats{};
  std::vector<oshen::exchange::lateness> late;  // for each flag

  // The choice of the strategy.
  oshen::trials::choice_source source = oshen::trials::choice_source::requested;
  std::unique_ptr<oshen::exchange::run_trials> trials;  // under way
  std::vector<double> measured;                         // by trials, for each strategy of the table

  std::size_t send_flag(std::size_t send) const { return receives.size() + send; }
  std::size_t barrier_flag() const { return receives.size() + sends.size(); }
  std::size_t n_flags() const { return barrier_flag() + static_cast<std::size_t>(barrier.rounds()); }
  int peer_of_flag(std::size_t flag) const;
  std::byte* memory(std::size_t offset) const { return group->arena->base + offset; }
  // Where in our arena a peer writes the addresses of its `in` or its `out`, one for each field.
  std::size_t in_addresses_of(const oshen::exchange::incoming& p) const {
    return in_addresses + p.flag * n_fields * sizeof(std::uint64_t);
  }
  std::size_t out_addresses_of(const oshen::exchange::outgoing& p) const {
    return out_addresses + (p.flag - receives.size()) * n_fields * sizeof(std::uint64_t);
  }
};
