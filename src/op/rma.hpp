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

// Any number of elements: a range check and memcpy. Out of line, once for all types.
void put_bytes(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe);
void get_bytes(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe);
void put_bytes_nbi(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe);
void get_bytes_nbi(call_site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe);

// `quick_count` elements.
template <class T>
[[gnu::always_inline]] inline void put_quick(call_site at, T* dest, const T* source, int pe, completion_mode mode) {
  peer p;
  if (!find_near(at, pe, p)) [[unlikely]]
    return put_slow(at, dest, source, quick_count<T> * sizeof(T), pe, mode);
  const std::ptrdiff_t offset = offset_to(at, p, "dest", dest, quick_count<T> * sizeof(T));
  copy_quick(byte_offset(dest, offset), source);
  wake(p.wakeup(), dest, offset, quick_count<T> * sizeof(T));
}

template <class T>
[[gnu::always_inline]] inline void get_quick(call_site at, T* dest, const T* source, int pe, completion_mode mode) {
  peer p;
  if (!find_near(at, pe, p)) [[unlikely]] {
    if (mode == completion_mode::non_blocking) return get_nbi_slow(at, dest, source, quick_count<T> * sizeof(T), pe);
    return get_slow(at, dest, source, quick_count<T> * sizeof(T), pe, mode);
  }
  copy_quick(dest, peer_address(at, p, "source", source, quick_count<T> * sizeof(T)));
}

template <class T>
[[gnu::always_inline]] inline void put(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return put_bytes(at, dest, source, n, sizeof(T), pe);
  put_quick(at, dest, source, pe, completion_mode::blocking);
}

template <class T>
[[gnu::always_inline]] inline void get(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return get_bytes(at, dest, source, n, sizeof(T), pe);
  get_quick(at, dest, source, pe, completion_mode::blocking);
  keep_loads_before();
}

template <class T>
[[gnu::always_inline]] inline void put_nbi(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return put_bytes_nbi(at, dest, source, n, sizeof(T), pe);
  put_quick(at, dest, source, pe, completion_mode::non_blocking);
}

template <class T>
[[gnu::always_inline]] inline void get_nbi(call_site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return get_bytes_nbi(at, dest, source, n, sizeof(T), pe);
  get_quick(at, dest, source, pe, completion_mode::non_blocking);
}

template <class T>
[[gnu::noinline, gnu::cold]] void p_slow(call_site at, T* dest, T value, int pe) {
  put_slow(at, dest, &value, sizeof(T), pe, completion_mode::blocking);
}
template <class T>
[[gnu::noinline, gnu::cold]] T g_slow(call_site at, const T* source, int pe) {
  T value;
  get_slow(at, &value, source, sizeof(T), pe, completion_mode::blocking);
  return value;
}

template <class T>
[[gnu::always_inline]] inline void p(call_site at, T* dest, T value, int pe) {
  peer target;
  if (!find_near(at, pe, target)) [[unlikely]]
    return p_slow(at, dest, value, pe);
  const std::ptrdiff_t offset = offset_to(at, target, "dest", dest, sizeof(T));
  store_one(byte_offset(dest, offset), value);
  wake(target.wakeup(), dest, offset, sizeof(T));
}

template <class T>
[[gnu::always_inline]] inline T g(call_site at, const T* source, int pe) {
  peer target;
  if (!find_near(at, pe, target)) [[unlikely]]
    return g_slow(at, source, pe);
  return load_one(peer_address(at, target, "source", source, sizeof(T)));
}

}  // namespace oshen::op
