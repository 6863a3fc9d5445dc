// Put with signal, and signal operations without data (OpenSHMEM 1.6, 9.8).
#pragma once

#include <shmem.h>

#include "op/amo.hpp"
#include "op/order.hpp"

namespace oshen::op {

// Updates the signal object of a near peer, and sets `object` to its address there. The caller wakes the peer. False:
// the object belongs to a card, or the address is wrong; the caller continues with update_signal_slow().
[[gnu::always_inline]] inline bool apply_signal(call_site at, const near_peer& p, const signal_update& update,
                                                const std::uint64_t*& object) {
  std::ptrdiff_t offset = 0;
  if (!find_cpu_object(at, p, update.sig_addr, offset)) [[unlikely]]
    return false;
  object = byte_offset(update.sig_addr, offset);
  const std::atomic_ref<std::uint64_t> atomic(*byte_offset(update.sig_addr, offset));
  if (update.sig_op == SHMEM_SIGNAL_SET) [[likely]]
    atomic.store(update.signal, std::memory_order_release);  // orders the data of this call before the signal
  else if (update.sig_op == SHMEM_SIGNAL_ADD)
    atomic.fetch_add(update.signal, std::memory_order_release);
  else
    bad_argument(at, "sig_op = %d: expected SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", update.sig_op);
  return true;
}

// Any number of elements. Out of line, once for all types.
void put_signal_bytes(call_site at, void* dest, const void* source, array_size size, signal_update update, int pe);
void put_signal_nbi_bytes(call_site at, void* dest, const void* source, array_size size, signal_update update, int pe);

template <class T>
[[gnu::always_inline]] inline void put_signal_near(call_site at, const near_peer& p, T* dest, const T* source,
                                                   const signal_update& update) {
  T* const to = peer_address(at, p, "dest", dest, quick_count<T> * sizeof(T));
  copy_quick(to, source);
  const std::uint64_t* signal = nullptr;
  if (!apply_signal(at, p, update, signal)) [[unlikely]]
    return update_signal_slow(at, update.sig_addr, update.signal, update.sig_op, p.peer_offset);
  wake(p.wakeup(), to, quick_count<T> * sizeof(T), signal);
}

template <class T>
[[gnu::always_inline]] inline void put_signal(call_site at, T* dest, const T* source, std::size_t n,
                                              const signal_update& update, int pe) {
  if (n != quick_count<T>) return put_signal_bytes(at, dest, source, {n, sizeof(T)}, update, pe);
  near_peer p;
  if (!find_near(at, pe, p)) [[unlikely]]
    return put_signal_slow(at, dest, source, quick_count<T> * sizeof(T), update, pe);
  put_signal_near(at, p, dest, source, update);
}

// On this node the put is complete when the call returns.
template <class T>
[[gnu::always_inline]] inline void put_signal_nbi(call_site at, T* dest, const T* source, std::size_t n,
                                                  const signal_update& update, int pe) {
  if (n != quick_count<T>) return put_signal_nbi_bytes(at, dest, source, {n, sizeof(T)}, update, pe);
  near_peer p;
  if (!find_near(at, pe, p)) [[unlikely]]
    return put_signal_nbi_slow(at, dest, source, quick_count<T> * sizeof(T), update, pe);
  put_signal_near(at, p, dest, source, update);
}

inline void update_signal(call_site at, const signal_update& update, int pe) {
  near_peer p;
  if (!find_near(at, pe, p)) [[unlikely]]
    return put_signal_slow(at, nullptr, nullptr, 0, update, pe);
  const std::uint64_t* signal = nullptr;
  if (!apply_signal(at, p, update, signal)) [[unlikely]]
    return update_signal_slow(at, update.sig_addr, update.signal, update.sig_op, p.peer_offset);
  wake(p.wakeup(), signal, sizeof update.signal);
}
inline void signal_set(call_site at, std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  update_signal(at, {sig_addr, signal, SHMEM_SIGNAL_SET}, pe);
}
inline void signal_add(call_site at, std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  update_signal(at, {sig_addr, signal, SHMEM_SIGNAL_ADD}, pe);
}

// Reads this PE's own signal object.
inline std::uint64_t signal_fetch(call_site at, const std::uint64_t* sig_addr) {
  if (at.ctx->n_pes == 0) [[unlikely]]
    bad_pe(at, 0);
  static_cast<void>(own_slice(at, "sig_addr", sig_addr, sizeof *sig_addr));
  const std::uint64_t value = load_one(sig_addr);
  fetched_own(at, sig_addr, value);
  return value;
}

}  // namespace oshen::op
