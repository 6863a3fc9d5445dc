// The non-blocking collectives of one team on one PE, numbered in the order of their calls. Several threads may advance
// them. A thread holds the lock while it advances them, never while it waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "coll/nonblocking/operation.hpp"
#include "coll/nonblocking/threads.hpp"

#include "os/mutex.hpp"

namespace oshen::coll::async {

// The number of operations that one team can have under way on one PE. It is less than the number of request flags
// (control.hpp), so that the next operation finds its request flag free unless a peer is far behind.
inline constexpr int most_open = 8;
static_assert(most_open < request_flag_count);

struct queue {
  os::mutex lock;
  team* members = nullptr;                                 // Null: no team uses this slot now.
  proxy* proxy_thread = nullptr;                           // Only for a team that spans nodes.
  std::atomic<std::uint64_t> started{0};                   // The number of the latest operation.
  std::uint64_t ended = 0;                                 // All operations up to this number have ended on this PE.
  std::uint64_t writable = request_flag_count;             // Request flags up to this number may be written.
  std::atomic<std::uint64_t> unclaimed{0};                 // Operations whose end the program has not learned.
  std::optional<collective_operation> entries[most_open];  // Operation n is at n mod most_open.
  std::atomic<std::uint64_t> done[most_open] = {};         // The number of the last operation that ended in this entry.
  std::atomic<int> awaited[most_open] = {};                // PE of the world for which it waits; -1: no particular one.

  bool is_done(std::uint64_t number) const {
    return done[number % most_open].load(std::memory_order_acquire) >= number;
  }
};

// Assigns the queue to team `t`. The caller of this function, and of those below, holds the lock.
void serve(queue& q, team& t);

// True if the request flag of operation `number` may be written: all PEs have ended its previous operation.
bool may_write(queue& q, std::uint64_t number);

// Appends an operation, whose entry in `open` must be free.
void append(queue& q, const collective_operation& op);

// Advances all operations. True if there was progress. Adds the number of operations that ended to `completed`.
bool advance(queue& q, std::uint32_t& completed);

// ---- request flags ------------------------------------------------------------------------------------------
//
// The request flags of non-blocking collectives (control.hpp). Each PE writes its own, and all PEs read them.

inline request_flag& request_flag_of(const team& t, int pe, std::uint64_t number) {
  return t.slot_of(pe).nonblocking.lines[number % request_flag_count];
}

// A request flag keeps its number until all PEs have ended that operation, so a test for equality is enough
// (queue.cpp, may_write).
inline bool has_entered(const collective_operation& op, int pe) {
  return request_flag_of(op.call.members, pe, op.number).entered.load(std::memory_order_acquire) == op.number;
}
inline bool has_finished(const collective_operation& op, int pe) {
  return request_flag_of(op.call.members, pe, op.number).finished.load(std::memory_order_acquire) == op.number;
}

}  // namespace oshen::coll::async
