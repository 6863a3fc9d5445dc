// The arena: symmetric memory that is handed out locally.
//
// It is allocated once, collectively. After that every PE takes and returns pieces on its own, so
// offsets differ between PEs and are told to those who need them (group.hpp). At its head lies the
// board, on which PEs tell each other things while a plan is made: for each PE of the world two
// notes and a counter, which that PE alone writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "oshen/exchange.h"

namespace oshen::exchange {

// What a PE tells a peer while a plan is made. Offsets are from the start of the arena of the PE
// that tells.
struct note {
  // to one who sends to it
  std::uint64_t expects;  // bytes
  std::uint64_t slot;     // where they go, and how far away the second slot is
  std::uint64_t slot_step;
  std::uint64_t arrived;       // the word that says so
  std::uint64_t offers;        // where the sender may write addresses
  std::uint64_t wanted_boxes;  // where they lie in the end
  std::uint64_t n_wanted;
  // to one who receives from it
  std::uint64_t packed;  // where the bytes lie when the receiver fetches them
  std::uint64_t packed_step;
  std::uint64_t ready;        // the word that says: send
  std::uint64_t invitations;  // where the receiver may write addresses
  std::uint64_t kept_boxes;   // where they lie at first
  std::uint64_t n_kept;
  std::uint64_t order;  // of the axes on the wire
  // to everybody
  std::uint64_t barrier;  // its words for the barrier
  std::uint64_t key;      // of the whole pattern
  double seconds;         // what a run took
  std::int32_t shape;     // strategy, fields, promises: must be the same everywhere
  std::int32_t status;
  std::int32_t busy;    // runs under way
  std::int32_t choice;  // row found in a file
};

// Of everything in the arena: no two messages share a cache line.
inline constexpr std::size_t alignment = 64;
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Private memory for what is packed before it is put, or kept. A run borrows it; the next run of
// whatever plan finds it warm.
struct staging_memory {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  std::byte* get() const { return bytes.get(); }
};

// What a PE's part of the board looks like to those it tells.
struct pair_of_notes {
  note notes[2];  // used in turn: the writer may be one round ahead of the reader
  std::uint64_t told;
};

}  // namespace oshen::exchange

struct oshen_arena {
  static constexpr std::size_t nowhere = ~std::size_t{0};

  std::byte* base = nullptr;
  std::size_t bytes = 0;
  std::map<std::size_t, std::size_t> free;     // offset -> bytes of each hole, never adjacent
  std::map<std::size_t, std::size_t> buffers;  // of the user: offset -> bytes
  std::vector<std::uint64_t> rounds;           // of talk with each PE of the world
  std::vector<oshen_plan*> active;             // plans with a run under way
  std::vector<oshen::exchange::staging_memory> spare;

  oshen::exchange::pair_of_notes* board() {
    return reinterpret_cast<oshen::exchange::pair_of_notes*>(base);
  }

  // First fit; `nowhere` when no hole is large enough. wanted > 0.
  std::size_t take(std::size_t wanted);
  void give_back(std::size_t offset, std::size_t size);

  // Staging memory: make sure that some of this size can be borrowed, borrow (the same piece again
  // and again, unless several runs are under way), return. May throw std::bad_alloc.
  void provide(std::size_t wanted);
  oshen::exchange::staging_memory borrow(std::size_t wanted);
  void bring_back(oshen::exchange::staging_memory memory);
};
