// Atomic memory operations (OpenSHMEM 1.6, 9.7). Either CPUs of the object's node execute all operations on it, also
// those of PEs of other nodes (op/remote.hpp), or network cards do, also those of PEs of the node (OSHEN_ATOMICS, and
// shmem_malloc_with_hints). Therefore all of them are atomic with each other; wait and test only read.
// Acquire-release order is stronger than the standard requires, and costs nothing on x86.
#pragma once

#include <bit>

#include "op/rma.hpp"

namespace oshen::op {

using transport::operation;

// A value as the transport carries it.
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

// On a PE that is not near, by a card, or with a wrong address.
template <operation op, bool fetches, class T>
[[gnu::always_inline]] inline T apply_slow(call_site at, const T* object, T value, T compare, int pe) {
  using word = word_of<T>;
  if constexpr (op == operation::compare_swap)
    return std::bit_cast<T>(
        compare_swap_slow<word>(at, object, std::bit_cast<word>(value), std::bit_cast<word>(compare), pe));
  if constexpr (fetches) return std::bit_cast<T>(fetch_slow<word>(at, object, std::bit_cast<word>(value), pe, op));
  if constexpr (op == operation::add)
    if (at.ctx->is_packing) [[unlikely]]
      return add_in_session(at, object, static_cast<transport::width>(sizeof(T)), std::bit_cast<word>(value), pe), T{};
  change_slow<word>(at, object, std::bit_cast<word>(value), pe, op);
  return T{};
}

// Applies `op` to the object of a near peer, and wakes the peer if it waits. Returns the old value.
template <operation op, class T>
[[gnu::always_inline]] inline T change_near(const near_peer& p, T* dest, std::ptrdiff_t offset, T value, T compare) {
  using number = word_of<T>;  // a float is copied as the integer of its width
  auto& object = *reinterpret_cast<number*>(byte_offset(dest, offset));
  const number before = transport::apply_to(object, op, std::bit_cast<number>(value), std::bit_cast<number>(compare));
  wake(p.wakeup(), dest, offset, sizeof(T));
  return std::bit_cast<T>(before);
}

// The same for any peer.
template <operation op, bool fetches, class T>
[[gnu::always_inline]] inline T change_at(call_site at, T* dest, int pe, T value, T compare = T{}) {
  near_peer p;
  std::ptrdiff_t offset = 0;
  if (!find_near_for_atomic(at, pe, p) || !find_cpu_object(at, p, dest, offset)) [[unlikely]]
    return apply_slow<op, fetches>(at, dest, value, compare, pe);
  return change_near<op>(p, dest, offset, value, compare);
}

// To be called after this PE has fetched its own object, because programs may wait for other PEs in this way.
template <class T>
[[gnu::always_inline]] inline void fetched_own(call_site at, const void* address, T value) {
  give_way_if_same(*at.ctx->home, address, as_bits(value));
}

template <class T>
[[gnu::always_inline]] inline T fetch_near(call_site at, const near_peer& p, const T* source) {
  const T value = load_one(aligned_peer_address(at, p, "source", source));
  if (p.peer_offset == 0) [[unlikely]]
    fetched_own(at, source, value);
  return value;
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch(call_site at, const T* source, int pe) {
  near_peer p;
  if (!find_near(at, pe, p)) [[unlikely]]  // a load is atomic with a card, too
    return apply_slow<operation::fetch, true>(at, source, T{}, T{}, pe);
  return fetch_near(at, p, source);
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

// Operations without a result. No reply is needed from another node, and on this node the optimiser removes the fetch.
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

// Non-blocking forms: `*fetch` holds the old value when quiet returns. On this node it holds it at once.
template <operation op, class T>
[[gnu::always_inline]] inline void apply_nbi_slow(call_site at, T* fetch, const T* object, T value, T compare, int pe) {
  using word = word_of<T>;
  fetch_nbi_slow<word>(at, fetch, object, {std::bit_cast<word>(value), std::bit_cast<word>(compare)}, pe, op);
}

template <operation op, class T>
[[gnu::always_inline]] inline void change_at_nbi(call_site at, T* fetch, T* dest, int pe, T value, T compare = T{}) {
  near_peer p;
  std::ptrdiff_t offset = 0;
  if (!find_near_for_atomic(at, pe, p) || !find_cpu_object(at, p, dest, offset)) [[unlikely]]
    return apply_nbi_slow<op>(at, fetch, dest, value, compare, pe);
  *fetch = change_near<op>(p, dest, offset, value, compare);
}

template <class T>
inline void atomic_fetch_nbi(call_site at, T* fetch, const T* source, int pe) {
  near_peer p;
  if (!find_near(at, pe, p)) [[unlikely]]
    return apply_nbi_slow<operation::fetch>(at, fetch, source, T{}, T{}, pe);
  *fetch = fetch_near(at, p, source);
}
template <class T>
inline void atomic_swap_nbi(call_site at, T* fetch, T* dest, T value, int pe) {
  change_at_nbi<operation::swap>(at, fetch, dest, pe, value);
}
template <class T>
inline void atomic_compare_swap_nbi(call_site at, T* fetch, T* dest, T cond, T value, int pe) {
  change_at_nbi<operation::compare_swap>(at, fetch, dest, pe, value, cond);
}
template <class T>
inline void atomic_fetch_inc_nbi(call_site at, T* fetch, T* dest, int pe) {
  change_at_nbi<operation::add>(at, fetch, dest, pe, T{1});
}
template <class T>
inline void atomic_fetch_add_nbi(call_site at, T* fetch, T* dest, T value, int pe) {
  change_at_nbi<operation::add>(at, fetch, dest, pe, value);
}
template <class T>
inline void atomic_fetch_and_nbi(call_site at, T* fetch, T* dest, T value, int pe) {
  change_at_nbi<operation::bit_and>(at, fetch, dest, pe, value);
}
template <class T>
inline void atomic_fetch_or_nbi(call_site at, T* fetch, T* dest, T value, int pe) {
  change_at_nbi<operation::bit_or>(at, fetch, dest, pe, value);
}
template <class T>
inline void atomic_fetch_xor_nbi(call_site at, T* fetch, T* dest, T value, int pe) {
  change_at_nbi<operation::bit_xor>(at, fetch, dest, pe, value);
}

}  // namespace oshen::op
