// The non-blocking collectives of one team on one PE, numbered in the order of their calls. Several threads may
// advance them: the lock is held while one does, never while it waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "coll/nonblocking/operation.hpp"
#include "coll/nonblocking/threads.hpp"
#include "coll/shared_memory/flag_slots.hpp"
#include "os/mutex.hpp"

namespace oshen::coll::async {

// Operations that one team can have under way on one PE. Fewer than request flags (control.hpp), so that the next one
// finds its request flag free unless a peer is far behind.
inline constexpr int most_open = 8;
static_assert(most_open < request_flag_count);

struct queue {
  os::mutex lock;
  team* members = nullptr;                          // null: no team uses this slot now
  proxy* thread = nullptr;                          // of a team that spans nodes
  std::atomic<std::uint64_t> started{0};            // number of the latest
  std::uint64_t ended = 0;                          // all up to this number have ended here
  std::uint64_t writable = request_flag_count;      // request flags up to this number may be written
  std::atomic<std::uint64_t> unclaimed{0};          // handles that nobody has tested or waited to the end
  std::optional<operation> open[most_open];         // number n at n mod most_open
  std::atomic<std::uint64_t> done[most_open] = {};  // the last number that ended in this place
  std::atomic<int> awaited[most_open] = {};         // PE of the world that it waits for; -1: nobody special

  bool is_done(std::uint64_t number) const {
    return done[number % most_open].load(std::memory_order_acquire) >= number;
  }
};

// Begins to serve `t`. The caller holds the lock, here and below.
void serve(queue& q, team& t);

// The request flag of operation `number` may be written: everybody has ended the operation that used it before.
bool may_write(queue& q, std::uint64_t number);

// Puts an operation behind the others; its place is free.
void append(queue& q, const operation& op);

// Goes on with all of them. True if something was done. `completed` counts those that ended.
bool advance(queue& q, std::uint32_t& completed);

// ---- request flags ------------------------------------------------------------------------------------------
//
// The request flags of non-blocking collectives (control.hpp): each PE writes its own, all read them.

inline request_flag& request_flag_of(const team& t, int pe, std::uint64_t number) {
  return t.slot_of(pe).nonblocking.lines[number % request_flag_count];
}

// A line keeps its number until everybody has ended that operation, so equality is enough (queue.cpp, may_write).
inline bool has_entered(const operation& op, int pe) {
  return request_flag_of(op.call.members, pe, op.number).entered.load(std::memory_order_acquire) == op.number;
}
inline bool has_finished(const operation& op, int pe) {
  return request_flag_of(op.call.members, pe, op.number).finished.load(std::memory_order_acquire) == op.number;
}

}  // namespace oshen::coll::async
