// Making a plan with one strategy: sorts the messages into parcels, lays out memory, and exchanges addresses with the
// other members. The functions appear in the order in which make_plan calls them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "exchange/plan/plan.hpp"

namespace oshen::exchange {

// ---- the attributes (requirements.cpp)

using message_list = std::span<const oshen_message_t>;

message_list sends_of(const oshen_plan_attr_t& attr);
message_list receives_of(const oshen_plan_attr_t& attr);

inline constexpr const char* auto_name = "auto";
bool wants_auto(const oshen_plan_attr_t& attr);

// Whether `attr` promises what the strategy needs.
bool meets_requirements(const oshen_plan_attr_t& attr, const strategy& candidate);
// Prints a line that names the first unmet requirement.
void report_missing_requirement(const oshen_plan_attr_t& attr, const strategy& candidate);

// ---- the parcels (plan_sort.cpp)

// Sorts the messages into parcels and fills in the ranges they touch and the numbers of their flags.
void sort_messages(oshen_plan& plan, const oshen_plan_attr_t& attr);

// Puts the axes of the boxes into the order of the sender's memory, see reordered().
void reorder(parcel& p, unsigned order);

template <class Parcel>
Parcel* find(std::vector<Parcel>& parcels, int peer) {
  for (auto& p : parcels) {
    if (p.peer == peer) return &p;
  }
  return nullptr;
}

// ---- the memory (plan_memory.cpp): one block in the arena, which peers can reach, and private staging memory

// Offsets in the plan's block.
struct layout {
  std::size_t flags = 0, out_addresses = 0, in_addresses = 0, receive_boxes = 0, send_boxes = 0, slots = 0, packs = 0;
  std::size_t bytes = 0;

  std::size_t add(std::size_t n) {
    const std::size_t at = bytes;
    bytes += aligned(n);
    return at;
  }
};

// The boxes of a parcel, published for the peer to read: first the boxes, then the offset lists of those that have one,
// which a stride of this value marks.
constexpr std::size_t list_follows = ~std::size_t{0};
std::size_t published_bytes(const parcel& p);

// Memory of a plan on this PE, in bytes.
struct plan_memory {
  std::size_t control;  // of the arena, without slots
  std::size_t slots;    // of the arena
  std::size_t staging;  // private
};
plan_memory memory_of(oshen_group& group, const oshen_plan_attr_t& attr, const strategy& used);

// Computes the block and the staging memory of a plan whose messages are sorted. Local.
layout compute_layout(oshen_plan& plan);
void assign_staging(oshen_plan& plan);

// Allocates the block and publishes the boxes in it. Returns false if the arena has no room for `l.bytes`.
bool allocate_memory(oshen_plan& plan, layout& l);

// ---- the handshake (plan_handshake.cpp): where parcels go, how large they are, and where boxes are published

// For a peer that sends to this PE.
struct parcel_target {
  std::uint64_t bytes;  // that are expected
  std::uint64_t slot;   // where the parcel goes; slot_stride: the distance to the second slot
  std::uint64_t slot_stride;
  std::uint64_t arrived_flag;  // the flag that reports its arrival
  std::uint64_t in_addresses;  // where the sender may write the addresses of its `in`
  std::uint64_t boxes;         // where the peer can read the boxes of this PE's `out`
  std::uint64_t n_boxes;
};

// For a peer that receives from this PE.
struct parcel_source {
  std::uint64_t packed;  // where the parcel lies if the receiver fetches it
  std::uint64_t packed_stride;
  std::uint64_t ready_flag;     // the flag by which the receiver reports that it is ready
  std::uint64_t out_addresses;  // where the receiver may write the addresses of its `out`
  std::uint64_t boxes;          // where the peer can read the boxes of this PE's `in`
  std::uint64_t n_boxes;
  std::uint64_t axis_order;  // of the axes on the wire
};

// The message to one peer.
struct address_message {
  parcel_target target;
  parcel_source source;
  std::uint64_t barrier_flags;
  oshen_status_t status;
};

// The messages of this PE to each member, with the status of its own part.
std::vector<address_message> address_messages(const oshen_plan& plan, const layout& l, oshen_status_t status);

// Enters the members' messages into the plan and returns the worst status.
oshen_status_t apply_replies(oshen_plan& plan, std::span<const address_message> replies);

// Reads the peers' boxes, for strategies that access the peers' buffers.
oshen_status_t read_all_peer_boxes(oshen_plan& plan, std::span<const address_message> replies);

// ---- all of it (plan_setup.cpp)

// Fills in the attributes and sorts the messages. `group` and `strategy` are set. Local; may throw std::bad_alloc.
void fill_plan(oshen_plan& plan, const oshen_plan_attr_t& attr);

// Makes a plan with this strategy. Collective, after a handshake that found all attributes valid. `slots`: memory that
// the plan uses for its slots and does not own; empty: it allocates them.
oshen_status_t make_plan(oshen_group& group, const oshen_plan_attr_t& attr, const strategy& chosen,
                         std::unique_ptr<oshen_plan>& plan, arena_block slots = {});

// Frees the plan's block at once: only for a plan in which no peer can raise a flag any more.
void discard_plan(std::unique_ptr<oshen_plan> plan);
// The same for a plan whose strategy has been opened.
void close_and_discard(std::unique_ptr<oshen_plan> plan);

}  // namespace oshen::exchange
