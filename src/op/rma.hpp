// Put, get, p and g (OpenSHMEM 1.6, 9.5 and 9.6).
//
// On a node a put is a copy to the peer's slice. Its source may be reused when it returns; fence and quiet order it and
// make it visible. The non-blocking forms do the same there, because this CPU would have to do the work later anyway.
// They differ towards other nodes.
#pragma once

#include "op/call_site.hpp"
#include "op/copy.hpp"
#include "op/slow_path.hpp"
#include "wait/backoff.hpp"

namespace oshen::op {

// A number of elements, and the size of one.
struct array_size {
  std::size_t n;
  std::size_t element_bytes;
};

// Any number of elements: a range check and memcpy. Out of line, once for each size of an element: 1, 2, 4, 8 or 16
// bytes, or 32 for the largest complex type.
template <std::size_t element>
void put_elements(call_site at, void* dest, const void* source, std::size_t n, int pe);
template <std::size_t element>
void get_elements(call_site at, void* dest, const void* source, std::size_t n, int pe);
template <std::size_t element>
void put_elements_nbi(call_site at, void* dest, const void* source, std::size_t n, int pe);
template <std::size_t element>
void get_elements_nbi(call_site at, void* dest, const void* source, std::size_t n, int pe);

// `quick_count` elements.
template <class T>
[[gnu::always_inline]] inline void put_quick(call_site at, T* dest, const T* source, int pe, completion_mode mode) {
  near_peer p;
  if (!find_near(at, pe, p)) [[unlikely]]
    return mode == completion_mode::non_blocking ? put_nbi_slow(at, dest, source, quick_count<T> * sizeof(T), pe)
                                                 : put_slow(at, dest, source, quick_count<T> * sizeof(T), pe);
  const std::ptrdiff_t offset = offset_to(at, p, "dest", dest, quick_count<T> * sizeof(T));
  copy_quick(byte_offset(dest, offset), source);
  wake(p.wakeup(), dest, offset, quick_count<T> * sizeof(T));
}

template <class T>
[[gnu::always_inline]] inline void get_quick(call_site at, T* dest, const T* source, int pe, completion_mode mode) {
  near_peer p;
  if (!find_near(at, pe, p)) [[unlikely]]
    return mode == completion_mode::non_blocking ? get_nbi_slow(at, dest, source, quick_count<T> * sizeof(T), pe)
                                                 : get_slow(at, dest, source, quick_count<T> * sizeof(T), pe);
  copy_quick(dest, peer_address(at, p, "source", source, quick_count<T> * sizeof(T)));
}

template <class T>
[[gnu::always_inline]] inline void put(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return put_elements<sizeof(T)>(at, dest, source, n, pe);
  put_quick(at, dest, source, pe, completion_mode::blocking);
}

template <class T>
[[gnu::always_inline]] inline void get(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return get_elements<sizeof(T)>(at, dest, source, n, pe);
  get_quick(at, dest, source, pe, completion_mode::blocking);
  keep_loads_before();
}

template <class T>
[[gnu::always_inline]] inline void put_nbi(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return put_elements_nbi<sizeof(T)>(at, dest, source, n, pe);
  put_quick(at, dest, source, pe, completion_mode::non_blocking);
}

template <class T>
[[gnu::always_inline]] inline void get_nbi(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return get_elements_nbi<sizeof(T)>(at, dest, source, n, pe);
  get_quick(at, dest, source, pe, completion_mode::non_blocking);
}

template <class T>
[[gnu::noinline, gnu::cold]] void p_slow(call_site at, T* dest, T value, int pe) {
  put_slow(at, dest, &value, sizeof(T), pe);
}
template <class T>
[[gnu::noinline, gnu::cold]] T g_slow(call_site at, const T* source, int pe) {
  T value;
  get_slow(at, &value, source, sizeof(T), pe);
  return value;
}

template <class T>
[[gnu::always_inline]] inline void p(call_site at, T* dest, T value, int pe) {
  near_peer target;
  if (!find_near(at, pe, target)) [[unlikely]]
    return p_slow(at, dest, value, pe);
  const std::ptrdiff_t offset = offset_to(at, target, "dest", dest, sizeof(T));
  store_one(byte_offset(dest, offset), value);
  wake(target.wakeup(), dest, offset, sizeof(T));
}

template <class T>
[[gnu::always_inline]] inline T g(call_site at, const T* source, int pe) {
  near_peer target;
  if (!find_near(at, pe, target)) [[unlikely]]
    return g_slow(at, source, pe);
  return load_one(peer_address(at, target, "source", source, sizeof(T)));
}

}  // namespace oshen::op
