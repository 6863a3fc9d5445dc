// The arena: symmetric memory that each PE hands out locally.
//
// All PEs allocate it once, collectively. After that every PE allocates and frees blocks on its own, so offsets differ
// between PEs and are exchanged in a handshake (group.hpp). The arena begins with the mailboxes for those handshakes:
// one for each PE of the world, which only that PE writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "oshen/exchange.h"

namespace oshen::exchange {

// The message from one PE to another in a round of a handshake. Each round uses some of the fields. Offsets are
// relative to the arena of the PE that writes the message.
struct handshake_message {
  // For a peer that sends to this PE.
  std::uint64_t expected_bytes;
  std::uint64_t slot;  // where the parcel goes; slot_stride: the distance to the second slot
  std::uint64_t slot_stride;
  std::uint64_t arrived_flag;   // the flag that reports its arrival
  std::uint64_t in_addresses;   // where the sender may write the addresses of its `in`
  std::uint64_t receive_boxes;  // where the peer can read the boxes of this PE's `out`
  std::uint64_t n_receive_boxes;
  // For a peer that receives from this PE.
  std::uint64_t packed;  // where the parcel lies if the receiver fetches it
  std::uint64_t packed_stride;
  std::uint64_t ready_flag;     // the flag by which the receiver reports that it is ready
  std::uint64_t out_addresses;  // where the receiver may write the addresses of its `out`
  std::uint64_t send_boxes;     // where the peer can read the boxes of this PE's `in`
  std::uint64_t n_send_boxes;
  std::uint64_t axis_order;  // of the axes on the wire
  std::uint64_t extent[3];   // of the first box of the parcel (pipeline); or a set of possible chunk counts (the model)
  // For every peer.
  std::uint64_t barrier_flags;
  std::uint64_t key;       // hash of the pattern, or a set of possible chunk counts (pipeline)
  double seconds;          // duration of a run
  std::int32_t signature;  // strategy, fields and promises, which must be equal on all PEs
  std::int32_t status;
  std::int32_t active_runs;
  std::int32_t choice;  // index of a strategy from a choice file, an axis (pipeline), or the expected runs
};

// Alignment of every block in the arena, so that no two parcels share a cache line.
inline constexpr std::size_t alignment = 64;
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// Private memory for data that is packed before a put, or copied out of the way. A run borrows it from the arena, and
// the next run of any plan reuses it while it is still in the caches.
struct staging_memory {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  std::byte* get() const { return bytes.get(); }
};

// One PE's mailbox at another PE.
struct mailbox {
  handshake_message messages[2];  // used in turn: the writer may be one round ahead of the reader
  std::uint64_t round;            // number of the last round whose message is complete
};

}  // namespace oshen::exchange

struct oshen_arena {
  static constexpr std::size_t npos = ~std::size_t{0};

  std::byte* base = nullptr;
  std::size_t bytes = 0;
  std::map<std::size_t, std::size_t> holes;    // offset -> bytes of each free range; never adjacent
  std::map<std::size_t, std::size_t> buffers;  // allocated by the user: offset -> bytes
  std::vector<std::uint64_t> rounds;           // handshakes so far with each PE of the world
  std::vector<oshen_plan*> active;             // plans with a run under way
  std::vector<oshen::exchange::staging_memory> spare;

  oshen::exchange::mailbox* mailboxes() { return reinterpret_cast<oshen::exchange::mailbox*>(base); }

  // First fit. Returns the offset, or `npos` when no hole is large enough. `wanted` is at least 1.
  std::size_t allocate(std::size_t wanted);
  void deallocate(std::size_t offset, std::size_t size);

  // Staging memory. `reserve_staging` makes sure that a later borrow of this size succeeds. Borrowers get the same
  // memory again and again unless several runs are under way. May throw std::bad_alloc.
  void reserve_staging(std::size_t wanted);
  oshen::exchange::staging_memory borrow_staging(std::size_t wanted);
  void return_staging(oshen::exchange::staging_memory memory);
};
