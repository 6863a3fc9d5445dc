// Atomic memory operations (OpenSHMEM 1.6, 9.7): CPU atomics on the peer's memory. Every PE that can reach an
// object is on the node, so one path serves all and they are atomic with each other and with wait and test.
// Acquire-release order is more than the standard asks and costs nothing on x86.
#pragma once

#include <atomic>

#include "op/rma.hpp"

namespace oshen::op {

inline constexpr auto both = std::memory_order_acq_rel;

// Applies `change` to the peer's object and wakes the peer if it waits. Returns what `change` returns.
template <class T, class Change>
[[gnu::always_inline]] inline auto change_at(site at, T* dest, int pe, Change change) {
  const peer p = find(at, pe);
  const auto result = change(std::atomic_ref<T>(*there_aligned(at, p, "dest", dest)));
  ring(p.bell());
  return result;
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch(site at, const T* source, int pe) {
  return load_one(there_aligned(at, find(at, pe), "source", source));
}

template <class T>
[[gnu::always_inline]] inline void atomic_set(site at, T* dest, T value, int pe) {
  change_at(at, dest, pe, [=](auto cell) { return cell.store(value, std::memory_order_release), 0; });
}

template <class T>
[[gnu::always_inline]] inline T atomic_swap(site at, T* dest, T value, int pe) {
  return change_at(at, dest, pe, [=](auto cell) { return cell.exchange(value, both); });
}

template <class T>
[[gnu::always_inline]] inline T atomic_compare_swap(site at, T* dest, T cond, T value, int pe) {
  return change_at(at, dest, pe, [=](auto cell) {
    T seen = cond;
    cell.compare_exchange_strong(seen, value, both, std::memory_order_acquire);
    return seen;
  });
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_add(site at, T* dest, T value, int pe) {
  return change_at(at, dest, pe, [=](auto cell) { return cell.fetch_add(value, both); });
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_inc(site at, T* dest, int pe) {
  return atomic_fetch_add(at, dest, T{1}, pe);
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_and(site at, T* dest, T value, int pe) {
  return change_at(at, dest, pe, [=](auto cell) { return cell.fetch_and(value, both); });
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_or(site at, T* dest, T value, int pe) {
  return change_at(at, dest, pe, [=](auto cell) { return cell.fetch_or(value, both); });
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_xor(site at, T* dest, T value, int pe) {
  return change_at(at, dest, pe, [=](auto cell) { return cell.fetch_xor(value, both); });
}

// Without a result: the optimiser drops the fetch.
template <class T>
[[gnu::always_inline]] inline void atomic_add(site at, T* dest, T value, int pe) {
  static_cast<void>(atomic_fetch_add(at, dest, value, pe));
}
template <class T>
[[gnu::always_inline]] inline void atomic_inc(site at, T* dest, int pe) {
  static_cast<void>(atomic_fetch_add(at, dest, T{1}, pe));
}
template <class T>
[[gnu::always_inline]] inline void atomic_and(site at, T* dest, T value, int pe) {
  static_cast<void>(atomic_fetch_and(at, dest, value, pe));
}
template <class T>
[[gnu::always_inline]] inline void atomic_or(site at, T* dest, T value, int pe) {
  static_cast<void>(atomic_fetch_or(at, dest, value, pe));
}
template <class T>
[[gnu::always_inline]] inline void atomic_xor(site at, T* dest, T value, int pe) {
  static_cast<void>(atomic_fetch_xor(at, dest, value, pe));
}

// Non-blocking forms: the result is there at once, which quiet permits and nobody can tell apart.
template <class T>
inline void atomic_fetch_nbi(site at, T* fetch, const T* source, int pe) { *fetch = atomic_fetch(at, source, pe); }
template <class T>
inline void atomic_swap_nbi(site at, T* fetch, T* dest, T value, int pe) { *fetch = atomic_swap(at, dest, value, pe); }
template <class T>
inline void atomic_compare_swap_nbi(site at, T* fetch, T* dest, T cond, T value, int pe) {
  *fetch = atomic_compare_swap(at, dest, cond, value, pe);
}
template <class T>
inline void atomic_fetch_inc_nbi(site at, T* fetch, T* dest, int pe) { *fetch = atomic_fetch_inc(at, dest, pe); }
template <class T>
inline void atomic_fetch_add_nbi(site at, T* fetch, T* dest, T value, int pe) { *fetch = atomic_fetch_add(at, dest, value, pe); }
template <class T>
inline void atomic_fetch_and_nbi(site at, T* fetch, T* dest, T value, int pe) { *fetch = atomic_fetch_and(at, dest, value, pe); }
template <class T>
inline void atomic_fetch_or_nbi(site at, T* fetch, T* dest, T value, int pe) { *fetch = atomic_fetch_or(at, dest, value, pe); }
template <class T>
inline void atomic_fetch_xor_nbi(site at, T* fetch, T* dest, T value, int pe) { *fetch = atomic_fetch_xor(at, dest, value, pe); }

}  // namespace oshen::op
