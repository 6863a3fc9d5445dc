// Atomic operations on memory that the processes of a double share, by a CPU or by a card. `change` computes the new
// value from the old one.
#pragma once

#include <sched.h>

#include <atomic>

#include "mailbox.hpp"

namespace {

template <class T, class Change>
T apply_by_cpu(T* object, Change change) {
  T now = __atomic_load_n(object, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(object, &now, change(now), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
  return now;
}

// Like a card across a bus: it reads, computes and writes, and a CPU may write in between.
template <class T, class Change>
T apply_by_card(mailbox& box, T* object, Change change) {
  static std::atomic<unsigned> turn{0};
  while (box.atomics_lock.exchange(1, std::memory_order_acquire) != 0) sched_yield();
  const T now = __atomic_load_n(object, __ATOMIC_ACQUIRE);
  if (turn.fetch_add(1, std::memory_order_relaxed) % 16 == 0) sched_yield();
  __atomic_store_n(object, change(now), __ATOMIC_RELEASE);
  box.atomics_lock.store(0, std::memory_order_release);
  return now;
}

}  // namespace
