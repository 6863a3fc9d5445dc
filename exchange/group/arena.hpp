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

// Room for the longest message of a handshake.
inline constexpr std::size_t most_message_bytes = 128;

// One PE's mailbox at another PE.
struct mailbox {
  // Used in turn: the writer may be one round ahead of the reader.
  alignas(std::uint64_t) std::byte messages[2][most_message_bytes];
  std::uint64_t round;  // number of the last round whose message is complete
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
