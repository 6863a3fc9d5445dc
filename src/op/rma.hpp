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

template <class T>
[[gnu::always_inline]] inline void put(site at, T* dest, const T* source, std::size_t n, int pe) {
  const peer p = find(at, pe);
  if (n == 0) [[unlikely]] return;
  copy(there(at, p, "dest", dest, n * sizeof(T)), source, n);
  ring(p.bell());
}

template <class T>
[[gnu::always_inline]] inline void get(site at, T* dest, const T* source, std::size_t n, int pe) {
  const peer p = find(at, pe);
  if (n == 0) [[unlikely]] return;
  const T* from = there(at, p, "source", source, n * sizeof(T));
  if (n == 1)
    *dest = load_one(from);
  else
    copy(dest, from, n);
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
