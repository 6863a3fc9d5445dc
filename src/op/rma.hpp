// Put, get, p and g (OpenSHMEM 1.6, 9.5 and 9.6).
//
// On a node a put is a copy into the peer's slice: complete for the source when it returns, ordered and made
// visible by fence and quiet. The non-blocking forms do the same there: the CPU that would have to do the
// work later is the one that is here now. They differ towards other nodes.
#pragma once

#include "op/copy.hpp"
#include "op/other_node.hpp"
#include "op/call_site.hpp"
#include "world/idle.hpp"

namespace oshen::op {

// More than one element: a range check and memcpy. Out of line, once for all types.
void put_bytes(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe);
void get_bytes(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe);
void put_bytes_nbi(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe);
void get_bytes_nbi(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe);

// One element, or eight bytes.
template <class T>
[[gnu::always_inline]] inline void put_quick(call_site at, T* dest, const T* source, int pe, pace how) {
  peer p;
  if (!in_window(at, pe, p)) [[unlikely]] return put_elsewhere(at, dest, source, quick_count<T> * sizeof(T), pe, how);
  const std::ptrdiff_t offset = offset_to(at, p, "dest", dest, quick_count<T> * sizeof(T));
  move_quick(byte_offset(dest, offset), source);
  wake(p.wakeup(), dest, offset, quick_count<T> * sizeof(T));
}

template <class T>
[[gnu::always_inline]] inline void get_quick(call_site at, T* dest, const T* source, int pe, pace how) {
  peer p;
  if (!in_window(at, pe, p)) [[unlikely]] return get_elsewhere(at, dest, source, quick_count<T> * sizeof(T), pe, how);
  move_quick(dest, there(at, p, "source", source, quick_count<T> * sizeof(T)));
}

template <class T>
[[gnu::always_inline]] inline void put(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return put_bytes(at, dest, source, n, sizeof(T), pe);
  put_quick(at, dest, source, pe, pace::blocking);
}

template <class T>
[[gnu::always_inline]] inline void get(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return get_bytes(at, dest, source, n, sizeof(T), pe);
  get_quick(at, dest, source, pe, pace::blocking);
  keep_loads_before();
}

template <class T>
[[gnu::always_inline]] inline void put_nbi(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return put_bytes_nbi(at, dest, source, n, sizeof(T), pe);
  put_quick(at, dest, source, pe, pace::non_blocking);
}

template <class T>
[[gnu::always_inline]] inline void get_nbi(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return get_bytes_nbi(at, dest, source, n, sizeof(T), pe);
  get_quick(at, dest, source, pe, pace::non_blocking);
}

template <class T>
[[gnu::noinline, gnu::cold]] void p_elsewhere(call_site at, T* dest, T value, int pe) {
  put_elsewhere(at, dest, &value, sizeof(T), pe, pace::blocking);
}
template <class T>
[[gnu::noinline, gnu::cold]] T g_elsewhere(call_site at, const T* source, int pe) {
  T value;
  get_elsewhere(at, &value, source, sizeof(T), pe, pace::blocking);
  return value;
}

template <class T>
[[gnu::always_inline]] inline void p(call_site at, T* dest, T value, int pe) {
  peer target;
  if (!in_window(at, pe, target)) [[unlikely]] return p_elsewhere(at, dest, value, pe);
  const std::ptrdiff_t offset = offset_to(at, target, "dest", dest, sizeof(T));
  store_one(byte_offset(dest, offset), value);
  wake(target.wakeup(), dest, offset, sizeof(T));
}

template <class T>
[[gnu::always_inline]] inline T g(call_site at, const T* source, int pe) {
  peer target;
  if (!in_window(at, pe, target)) [[unlikely]] return g_elsewhere(at, source, pe);
  return load_one(there(at, target, "source", source, sizeof(T)));
}

}  // namespace oshen::op
