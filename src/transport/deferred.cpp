#include "transport/deferred.hpp"

#include <stdlib.h>

#include <new>

#include "transport/pack.hpp"

namespace oshen::transport {

bool deferred_queue::open(int n_pes) {
  n_pes_ = n_pes;
  n_active_ = 0;
  op_queues_ = static_cast<deferred_peer*>(calloc(static_cast<std::size_t>(n_pes), sizeof(deferred_peer)));
  active_ = static_cast<int*>(calloc(static_cast<std::size_t>(n_pes), sizeof(int)));
  return op_queues_ != nullptr && active_ != nullptr;
}

void deferred_queue::close() {
  for (int i = 0; i < n_active_; ++i)
    for (deferred_op *op = op_queues_[active_[i]].first, *next; op != nullptr; op = next) {
      next = op->next;
      if (op->packed != nullptr) drop_pack(op->packed);
      free(op);
    }
  n_active_ = 0;
  moved_bytes_ = 0;
  n_detours_.store(0, std::memory_order_relaxed);
  has_failed_.store(false, std::memory_order_relaxed);
  free(op_queues_);
  free(active_);
  op_queues_ = nullptr;
  active_ = nullptr;
}

// Blocking operations have twice the room of non-blocking ones, which therefore never keep them out. A put with a
// signal that has been started must not be started again, so its remaining stages always find room.
bool deferred_queue::is_full_for(const deferred_op& op) const {
  const std::size_t share = op.is_blocking ? 2 : 1;
  const std::size_t bytes = (static_cast<std::uint32_t>(n_detours_.load(std::memory_order_relaxed)) + 1) * sizeof op;
  const bool is_long = moved_bytes_ != 0 && moved_bytes_ + op.moved_bytes > share * max_deferred_payload;
  return op.n_stages_done == 0 && (bytes > share * max_deferred_bytes || is_long);
}

outcome deferred_queue::add(const deferred_op& op) {
  os::locked hold(lock_);
  if (is_full_for(op)) return outcome::would_block;
  void* memory = malloc(sizeof op);
  if (memory == nullptr) return outcome::failed;
  auto* mine = new (memory) deferred_op(op);
  mine->next = nullptr;
  mine->epoch = op.on->deferred.enter();
  deferred_peer& p = op_queues_[op.op.pe];
  if (p.first == nullptr) active_[n_active_++] = op.op.pe;
  (p.first == nullptr ? p.first : p.last->next) = mine;
  p.last = mine;
  moved_bytes_ += op.moved_bytes;
  p.count.fetch_add(1, std::memory_order_release);
  if (static_cast<std::uint32_t>(n_detours_.fetch_add(1, std::memory_order_release)) == 0) home_.request_wake();
  return outcome::done;
}

// A failed operation disables its channel: the next fence or flush reports the failure.
void deferred_queue::note_failure(const deferred_op& op, outcome o) {
  op.on->failed_pe.store(op.op.pe, std::memory_order_relaxed);
  op.on->failure.store(o, std::memory_order_release);
  has_failed_.store(true, std::memory_order_relaxed);
}

int deferred_queue::start_first(int pe, starter begin, void* with) {
  deferred_peer& p = op_queues_[pe];
  int started = 0;
  while (p.first != nullptr) {
    deferred_op* const op = p.first;
    const outcome o = begin(with, *op);
    if (o == outcome::would_block) break;
    if (o != outcome::done) note_failure(*op, o);
    p.first = op->next;
    moved_bytes_ -= op->moved_bytes;
    p.count.fetch_sub(1, std::memory_order_release);
    n_detours_.fetch_sub(1, std::memory_order_release);
    op->on->deferred.leave(op->epoch);  // last: after it a flush may close the channel
    free(op);
    ++started;
  }
  return started;
}

int deferred_queue::start(starter begin, void* with) {
  if (is_empty() || !lock_.try_lock()) return 0;
  int started = 0, left = 0;
  for (int i = 0; i < n_active_; ++i) {
    const int pe = active_[i];
    started += start_first(pe, begin, with);
    if (op_queues_[pe].first != nullptr) active_[left++] = pe;
  }
  n_active_ = left;
  lock_.unlock();
  return started;
}

}  // namespace oshen::transport
