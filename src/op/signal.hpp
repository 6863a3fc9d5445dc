// Put with signal, and signals by themselves (OpenSHMEM 1.6, 9.8).
#pragma once

#include <shmem.h>

#include "op/amo.hpp"
#include "op/order.hpp"

namespace oshen::op {

[[gnu::always_inline]] inline void raise_signal(site at, const peer& p, std::uint64_t* sig_addr,
                                                std::uint64_t signal, int sig_op) {
  const std::atomic_ref<std::uint64_t> flag(*there_aligned(at, p, "sig_addr", sig_addr));
  if (sig_op == SHMEM_SIGNAL_SET) [[likely]]
    flag.store(signal, std::memory_order_release);  // release: after the data of this call
  else if (sig_op == SHMEM_SIGNAL_ADD)
    flag.fetch_add(signal, std::memory_order_release);
  else
    bad_argument(at, "sig_op = %d: expected SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", sig_op);
  ring(p.bell());
}

template <class T>
[[gnu::always_inline]] inline void put_signal(site at, T* dest, const T* source, std::size_t n,
                                              std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe) {
  const peer p = find(at, pe);
  if (n != 0) copy(there(at, p, "dest", dest, n * sizeof(T)), source, n);
  raise_signal(at, p, sig_addr, signal, sig_op);
}

template <class T>
[[gnu::always_inline]] inline void put_signal_nbi(site at, T* dest, const T* source, std::size_t n,
                                                  std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe) {
  put_signal(at, dest, source, n, sig_addr, signal, sig_op, pe);
}

inline void signal_set(site at, std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  raise_signal(at, find(at, pe), sig_addr, signal, SHMEM_SIGNAL_SET);
}
inline void signal_add(site at, std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  raise_signal(at, find(at, pe), sig_addr, signal, SHMEM_SIGNAL_ADD);
}

// Local: this PE's own signal object.
inline std::uint64_t signal_fetch(site at, const std::uint64_t* sig_addr) {
  if (at.where->n_pes == 0) [[unlikely]] bad_pe(at, 0);
  static_cast<void>(own_slice(at, "sig_addr", sig_addr, sizeof *sig_addr));
  return load_one(sig_addr);
}

}  // namespace oshen::op
