// Non-blocking collectives, typed: they check, erase the type and start the operation. Each returns the number by which
// the team knows it, 0 if there is nothing to do.
#pragma once

#include "coll/async/engine.hpp"
#include "coll/collectives.hpp"

namespace oshen::coll::async {

inline std::uint64_t sync(site at) { return start(kind::sync, {.members = *at.members, .routine = at.routine}); }

template <class T>
std::uint64_t broadcast(site at, T* dest, const T* source, std::size_t nelems, int root) {
  check_root(at, root);
  task job{.members = *at.members, .routine = at.routine, .elements = nelems, .element_bytes = sizeof(T), .root = root};
  const std::size_t bytes = product(at, "nelems", nelems, sizeof(T));
  aim_task(job, at, dest, source, bytes, bytes);
  return start(kind::broadcast, job);
}

template <class T>
std::uint64_t fcollect(site at, T* dest, const T* source, std::size_t nelems) {
  task job{.members = *at.members, .routine = at.routine, .elements = nelems, .element_bytes = sizeof(T)};
  const std::size_t bytes = product(at, "nelems", nelems, sizeof(T));
  aim_task(job, at, dest, source, product(at, "nelems", bytes, n_pes(at)), bytes);
  return start(kind::fcollect, job);
}

template <class T>
std::uint64_t alltoall(site at, T* dest, const T* source, std::size_t nelems) {
  task job{.members = *at.members, .routine = at.routine, .elements = nelems, .element_bytes = sizeof(T)};
  const std::size_t bytes = product(at, "nelems", product(at, "nelems", nelems, sizeof(T)), n_pes(at));
  aim_task(job, at, dest, source, bytes, bytes);
  return start(kind::alltoall, job);
}

template <class Op, class T>
std::uint64_t reduce(site at, T* dest, const T* source, std::size_t nreduce) {
  task job{.members = *at.members, .routine = at.routine, .elements = nreduce, .element_bytes = sizeof(T),
           .combine = combine<Op, T>};
  const std::size_t bytes = product(at, "nreduce", nreduce, sizeof(T));
  aim_task(job, at, dest, source, bytes, bytes);
  return start(kind::reduce, job);
}

}  // namespace oshen::coll::async
