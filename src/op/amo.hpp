// Atomic memory operations (OpenSHMEM 1.6, 9.7). Whoever can reach an object's memory uses its CPU's instructions;
// whoever cannot has them used there (op/remote.hpp). So one path serves each object, and all are atomic with each
// other and with wait and test. Acquire-release order is more than the standard asks and costs nothing on x86.
#pragma once

#include <bit>

#include "op/rma.hpp"

namespace oshen::op {

using transport::operation;

// The value as a code carries it.
template <class T>
std::uint64_t as_bits(T value) {
  std::uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
[[gnu::noinline, gnu::cold]] T apply_elsewhere(call_site at, operation op, bool fetches, const char* argument,
                                               const T* object, T value, T compare, int pe) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  const transport::change what{op, static_cast<transport::width>(sizeof(T)), fetches, as_bits(value), as_bits(compare)};
  return from_bits<T>(change_elsewhere(at, argument, object, what, pe));
}

// Applies `op` to the peer's object and wakes the peer if it waits. Returns the value before.
template <operation op, bool fetches, class T>
[[gnu::always_inline]] inline T change_at(call_site at, T* dest, int pe, T value, T compare = T{}) {
  using number = word_of<T>;  // a float is moved as the integer of its width
  peer p;
  if (!in_window(at, pe, p)) [[unlikely]] return apply_elsewhere(at, op, fetches, "dest", dest, value, compare, pe);
  const std::ptrdiff_t offset = aligned_offset_to(at, p, "dest", dest);
  auto& object = *reinterpret_cast<number*>(byte_offset(dest, offset));
  const number before =
      transport::apply_to(object, op, std::bit_cast<number>(value), std::bit_cast<number>(compare));
  wake(p.wakeup(), dest, offset, sizeof(T));
  return std::bit_cast<T>(before);
}

// This PE's own word: programs wait for others by fetching it.
template <class T>
[[gnu::always_inline]] inline void fetched_own(call_site at, const void* address, T value) {
  give_way_if_same(*at.where->home, address, as_bits(value));
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch(call_site at, const T* source, int pe) {
  peer p;
  if (!in_window(at, pe, p)) [[unlikely]]
    return apply_elsewhere(at, operation::fetch, true, "source", source, T{}, T{}, pe);
  const T value = load_one(there_aligned(at, p, "source", source));
  if (p.peer_offset == 0) [[unlikely]] fetched_own(at, source, value);
  return value;
}

template <class T>
[[gnu::always_inline]] inline void atomic_set(call_site at, T* dest, T value, int pe) {
  change_at<operation::set, false>(at, dest, pe, value);
}

template <class T>
[[gnu::always_inline]] inline T atomic_swap(call_site at, T* dest, T value, int pe) {
  return change_at<operation::swap, true>(at, dest, pe, value);
}

template <class T>
[[gnu::always_inline]] inline T atomic_compare_swap(call_site at, T* dest, T cond, T value, int pe) {
  return change_at<operation::compare_swap, true>(at, dest, pe, value, cond);
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_add(call_site at, T* dest, T value, int pe) {
  return change_at<operation::add, true>(at, dest, pe, value);
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_and(call_site at, T* dest, T value, int pe) {
  return change_at<operation::bit_and, true>(at, dest, pe, value);
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_or(call_site at, T* dest, T value, int pe) {
  return change_at<operation::bit_or, true>(at, dest, pe, value);
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_xor(call_site at, T* dest, T value, int pe) {
  return change_at<operation::bit_xor, true>(at, dest, pe, value);
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_inc(call_site at, T* dest, int pe) {
  return atomic_fetch_add(at, dest, T{1}, pe);
}

// Without a result: nobody waits for an answer, and on the node the optimiser drops the fetch.
template <class T>
[[gnu::always_inline]] inline void atomic_add(call_site at, T* dest, T value, int pe) {
  change_at<operation::add, false>(at, dest, pe, value);
}
template <class T>
[[gnu::always_inline]] inline void atomic_inc(call_site at, T* dest, int pe) {
  atomic_add(at, dest, T{1}, pe);
}
template <class T>
[[gnu::always_inline]] inline void atomic_and(call_site at, T* dest, T value, int pe) {
  change_at<operation::bit_and, false>(at, dest, pe, value);
}
template <class T>
[[gnu::always_inline]] inline void atomic_or(call_site at, T* dest, T value, int pe) {
  change_at<operation::bit_or, false>(at, dest, pe, value);
}
template <class T>
[[gnu::always_inline]] inline void atomic_xor(call_site at, T* dest, T value, int pe) {
  change_at<operation::bit_xor, false>(at, dest, pe, value);
}

// Non-blocking forms: the result is there when they return, which quiet permits and nobody can tell apart.
template <class T>
inline void atomic_fetch_nbi(call_site at, T* fetch, const T* source, int pe) { *fetch = atomic_fetch(at, source, pe); }
template <class T>
inline void atomic_swap_nbi(call_site at, T* fetch, T* dest, T value, int pe) {
  *fetch = atomic_swap(at, dest, value, pe);
}
template <class T>
inline void atomic_compare_swap_nbi(call_site at, T* fetch, T* dest, T cond, T value, int pe) {
  *fetch = atomic_compare_swap(at, dest, cond, value, pe);
}
template <class T>
inline void atomic_fetch_inc_nbi(call_site at, T* fetch, T* dest, int pe) { *fetch = atomic_fetch_inc(at, dest, pe); }
template <class T>
inline void atomic_fetch_add_nbi(call_site at, T* fetch, T* dest, T value, int pe) {
  *fetch = atomic_fetch_add(at, dest, value, pe);
}
template <class T>
inline void atomic_fetch_and_nbi(call_site at, T* fetch, T* dest, T value, int pe) {
  *fetch = atomic_fetch_and(at, dest, value, pe);
}
template <class T>
inline void atomic_fetch_or_nbi(call_site at, T* fetch, T* dest, T value, int pe) {
  *fetch = atomic_fetch_or(at, dest, value, pe);
}
template <class T>
inline void atomic_fetch_xor_nbi(call_site at, T* fetch, T* dest, T value, int pe) {
  *fetch = atomic_fetch_xor(at, dest, value, pe);
}

}  // namespace oshen::op
