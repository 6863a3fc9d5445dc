// The request flags of non-blocking collectives (control.hpp): each PE writes its own, all read them.
#pragma once

#include "coll/async/queue.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll::async {

inline request_flag& request_flag_of(const team& t, int pe, std::uint64_t number) {
  return t.slot_of(pe).open.lines[number % request_flag_count];
}

// A line keeps its number until everybody has ended that operation, so equality is enough (queue.cpp, may_write).
inline bool has_entered(const operation& op, int pe) {
  return request_flag_of(op.job.members, pe, op.number).entered.load(std::memory_order_acquire) == op.number;
}
inline bool has_finished(const operation& op, int pe) {
  return request_flag_of(op.job.members, pe, op.number).finished.load(std::memory_order_acquire) == op.number;
}

}  // namespace oshen::coll::async
