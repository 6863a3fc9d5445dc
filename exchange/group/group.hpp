// The group: the PEs that make plans together, and the handshake by which they exchange addresses.
//
// A group needs no team, only the list of its PEs. In one round of a handshake each member sends one message to each
// other member and receives one from it, so a round is also a barrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "exchange/group/arena.hpp"
#include "oshen/exchange.h"

namespace oshen::exchange {

struct member {
  int pe;             // number in the world
  std::byte* mapped;  // its arena if shmem_ptr reaches it; else null
};

// Advances every run that is under way without waiting. Returns false when no run could advance. For waits that no
// single OpenSHMEM wait covers.
bool progress_all(const oshen_arena& arena);

struct arena_block {
  std::size_t offset, bytes;
};

}  // namespace oshen::exchange

struct oshen_group {
  oshen_arena_t* arena;
  int me;  // number in the group
  std::vector<oshen::exchange::member> members;
  int active_runs = 0;
  // Memory of plans that were destroyed here although a peer may still raise a flag in it.
  std::vector<oshen::exchange::arena_block> deferred_free;

  int size() const { return static_cast<int>(members.size()); }
  const oshen::exchange::member& at(int number) const { return members[static_cast<std::size_t>(number)]; }

  // One round: `mine[r]` goes to member r. Returns the messages of all members. When it returns, everything that any
  // member put before its call is complete. Each round has its own type of message; offsets in it are relative to the
  // arena of the PE that sends it.
  template <class Message>
  std::vector<Message> handshake(std::span<const Message> mine) {
    static_assert(std::is_trivially_copyable_v<Message> && sizeof(Message) <= oshen::exchange::most_message_bytes);
    std::vector<Message> replies(members.size());
    exchange_bytes(std::as_bytes(mine), std::as_writable_bytes(std::span(replies)), sizeof(Message));
    return replies;
  }
  // One round with the same message for all members.
  template <class Message>
  std::vector<Message> handshake_with_all(const Message& mine) {
    return handshake(std::span<const Message>(std::vector<Message>(members.size(), mine)));
  }
  // One round that exchanges only statuses. Returns the worst, the same on all members.
  oshen_status_t agree(oshen_status_t mine);
  // Frees deferred memory. Call it after a round in which no member had a run under way: such a run may belong to a
  // plan that this PE has already destroyed.
  void free_deferred();

 private:
  // One round. Both arrays have `bytes` for each member.
  void exchange_bytes(std::span<const std::byte> mine, std::span<std::byte> replies, std::size_t bytes);
};
