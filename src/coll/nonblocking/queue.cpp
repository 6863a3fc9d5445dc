#include "coll/nonblocking/queue.hpp"
#include "wait/wake.hpp"

namespace oshen::coll::async {
namespace {

// Runs the steps of an operation as far as possible. True if there was progress. The operation has ended when its next
// step is null.
bool go_on(queue& q, collective_operation& op) {
  bool moved = false;
  while (*op.next != nullptr) {
    const step_result o = (*op.next)(q, op);
    if (o != step_result::over) return moved || o == step_result::moved;
    moved = true;
    ++op.next;
    op.seen = visits{};
    op.current = -1;
    op.moved = 0;
  }
  return moved;
}

// Publishes the number up to which all operations have ended on this PE. Wakes the team, including threads of this PE.
void publish(queue& q) {
  team& t = *q.members;
  t.own_slot().nonblocking.ended.store(q.ended, std::memory_order_release);  // pairs with may_write()
  wake_all(t);
}

}  // namespace

void serve(queue& q, team& t) {
  q.members = &t;
  q.started.store(0, std::memory_order_relaxed);
  q.ended = 0;
  q.writable = request_flag_count;
  q.unclaimed.store(0, std::memory_order_relaxed);
  for (auto& number : q.done) number.store(0, std::memory_order_relaxed);
}

bool may_write(queue& q, std::uint64_t number) {
  if (number <= q.writable) return true;
  const team& t = *q.members;
  std::uint64_t least = q.ended;
  for (int pe = 0; pe < t.n_pes && least + request_flag_count >= number; ++pe) {
    const std::uint64_t theirs = t.slot_of(pe).nonblocking.ended.load(std::memory_order_acquire);
    if (theirs < least) least = theirs;
  }
  if (least + request_flag_count < number) return false;
  q.writable = least + request_flag_count;
  return true;
}

void append(queue& q, const collective_operation& op) {
  q.entries[op.number % most_open].emplace(op);
  q.awaited[op.number % most_open].store(-1, std::memory_order_relaxed);
  q.unclaimed.fetch_add(1, std::memory_order_relaxed);
  q.started.store(op.number, std::memory_order_release);
}

bool advance(queue& q, std::uint32_t& completed) {
  bool moved = false;
  bool any_ended = false;
  const std::uint64_t last = q.started.load(std::memory_order_relaxed);
  for (std::uint64_t number = q.ended + 1; number <= last; ++number) {
    if (q.is_done(number)) continue;
    collective_operation& op = *q.entries[number % most_open];
    if (go_on(q, op)) moved = true;
    q.awaited[number % most_open].store(op.awaited, std::memory_order_relaxed);
    if (*op.next != nullptr) continue;
    q.done[number % most_open].store(number, std::memory_order_release);  // pairs with is_done()
    ++completed;
    any_ended = true;
  }
  while (q.ended < last && q.is_done(q.ended + 1)) ++q.ended;
  if (any_ended) publish(q);
  return moved;
}

}  // namespace oshen::coll::async
