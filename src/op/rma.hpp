// Put, get, p and g (OpenSHMEM 1.6, 9.5 and 9.6).
//
// On a node a put is a copy into the peer's slice: complete for the source when it returns, ordered and made
// visible by fence and quiet. The non-blocking forms are the same calls: the CPU that would have to do the
// work later is the one that is here now.
#pragma once

#include "op/copy.hpp"
#include "op/site.hpp"
#include "world/idle.hpp"

namespace oshen::op {

// More than one element: a range check and memcpy. Out of line, once for all types.
void put_bytes(site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe);
void get_bytes(site at, void* dest, const void* source, std::size_t n, std::size_t element, int pe);

template <class T>
[[gnu::always_inline]] inline void put(site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return put_bytes(at, dest, source, n, sizeof(T), pe);
  const peer p = find(at, pe);
  move_quick(there(at, p, "dest", dest, quick_count<T> * sizeof(T)), source);
  ring(p.bell());
}

template <class T>
[[gnu::always_inline]] inline void get(site at, T* dest, const T* source, std::size_t n, int pe) {
  if (n != quick_count<T>) return get_bytes(at, dest, source, n, sizeof(T), pe);
  move_quick(dest, there(at, find(at, pe), "source", source, quick_count<T> * sizeof(T)));
}

template <class T>
[[gnu::always_inline]] inline void put_nbi(site at, T* dest, const T* source, std::size_t n, int pe) {
  put(at, dest, source, n, pe);
}

template <class T>
[[gnu::always_inline]] inline void get_nbi(site at, T* dest, const T* source, std::size_t n, int pe) {
  get(at, dest, source, n, pe);
}

template <class T>
[[gnu::always_inline]] inline void p(site at, T* dest, T value, int pe) {
  const peer target = find(at, pe);
  store_one(there(at, target, "dest", dest, sizeof(T)), value);
  ring(target.bell());
}

template <class T>
[[gnu::always_inline]] inline T g(site at, const T* source, int pe) {
  return load_one(there(at, find(at, pe), "source", source, sizeof(T)));
}

}  // namespace oshen::op
