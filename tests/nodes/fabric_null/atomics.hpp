// Atomic operations of fabric_null on memory that the processes share, by a CPU or by a card.
#pragma once

#include <rdma/fi_atomic.h>
#include <sched.h>

#include <atomic>

#include "mailbox.hpp"

namespace {

template <class T>
T combine(fi_op op, T now, T value, T compare) {
  switch (op) {
    case FI_SUM: return now + value;
    case FI_BAND: return now & value;
    case FI_BOR: return now | value;
    case FI_BXOR: return now ^ value;
    case FI_ATOMIC_WRITE: return value;
    case FI_CSWAP: return now == compare ? value : now;
    default: return now;
  }
}

template <class T>
T apply_by_cpu(T* object, fi_op op, T value, T compare) {
  T now = __atomic_load_n(object, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(object, &now, combine(op, now, value, compare), false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) {
  }
  return now;
}

// Like a card across a bus: it reads, computes and writes, and a CPU may write in between.
template <class T>
T apply_by_card(mailbox& box, T* object, fi_op op, T value, T compare) {
  static std::atomic<unsigned> turn{0};
  while (box.atomics_lock.exchange(1, std::memory_order_acquire) != 0) sched_yield();
  const T now = __atomic_load_n(object, __ATOMIC_ACQUIRE);
  if (turn.fetch_add(1, std::memory_order_relaxed) % 16 == 0) sched_yield();
  __atomic_store_n(object, combine(op, now, value, compare), __ATOMIC_RELEASE);
  box.atomics_lock.store(0, std::memory_order_release);
  return now;
}

}  // namespace
