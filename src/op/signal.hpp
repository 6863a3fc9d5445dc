// Put with signal, and signals by themselves (OpenSHMEM 1.6, 9.8).
#pragma once

#include <shmem.h>

#include "op/amo.hpp"
#include "op/order.hpp"

namespace oshen::op {

// Returns the signal at the peer; the caller wakes.
[[gnu::always_inline]] inline std::uint64_t* raise_signal(call_site at, const peer& p, std::uint64_t* sig_addr,
                                                          std::uint64_t signal, int sig_op) {
  std::uint64_t* const word = there_aligned(at, p, "sig_addr", sig_addr);
  const std::atomic_ref<std::uint64_t> flag(*word);
  if (sig_op == SHMEM_SIGNAL_SET) [[likely]]
    flag.store(signal, std::memory_order_release);  // release: after the data of this call
  else if (sig_op == SHMEM_SIGNAL_ADD)
    flag.fetch_add(signal, std::memory_order_release);
  else
    bad_argument(at, "sig_op = %d: expected SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", sig_op);
  return word;
}

// Any number of elements. Out of line, once for all types.
void put_signal_bytes(call_site at, void* dest, const void* source, std::size_t n, std::size_t element,
                      std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe);

template <class T>
[[gnu::always_inline]] inline void put_signal(call_site at, T* dest, const T* source, std::size_t n,
                                              std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe) {
  if (n != quick_count<T>) return put_signal_bytes(at, dest, source, n, sizeof(T), sig_addr, signal, sig_op, pe);
  peer p;
  if (!in_window(at, pe, p)) [[unlikely]]
    return put_signal_elsewhere(at, dest, source, quick_count<T> * sizeof(T), sig_addr, signal, sig_op, pe);
  T* const to = there(at, p, "dest", dest, quick_count<T> * sizeof(T));
  move_quick(to, source);
  const std::uint64_t* const word = raise_signal(at, p, sig_addr, signal, sig_op);
  wake(p.wakeup(), to, quick_count<T> * sizeof(T), word);
}

template <class T>
[[gnu::always_inline]] inline void put_signal_nbi(call_site at, T* dest, const T* source, std::size_t n,
                                                  std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe) {
  put_signal(at, dest, source, n, sig_addr, signal, sig_op, pe);
}

inline void change_signal(call_site at, std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe) {
  peer p;
  if (!in_window(at, pe, p)) [[unlikely]]
    return put_signal_elsewhere(at, nullptr, nullptr, 0, sig_addr, signal, sig_op, pe);
  wake(p.wakeup(), raise_signal(at, p, sig_addr, signal, sig_op), sizeof signal);
}
inline void signal_set(call_site at, std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  change_signal(at, sig_addr, signal, SHMEM_SIGNAL_SET, pe);
}
inline void signal_add(call_site at, std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  change_signal(at, sig_addr, signal, SHMEM_SIGNAL_ADD, pe);
}

// Local: this PE's own signal object.
inline std::uint64_t signal_fetch(call_site at, const std::uint64_t* sig_addr) {
  if (at.where->n_pes == 0) [[unlikely]] bad_pe(at, 0);
  static_cast<void>(own_slice(at, "sig_addr", sig_addr, sizeof *sig_addr));
  const std::uint64_t value = load_one(sig_addr);
  fetched_own(at, sig_addr, value);
  return value;
}

}  // namespace oshen::op
