// Non-blocking collectives, typed. Each function starts the call that its blocking form runs. It returns the number of
// the operation within the team, or 0 if there is nothing to do.
#pragma once

#include "coll/api/collectives.hpp"
#include "coll/nonblocking/engine.hpp"

namespace oshen::coll::async {

inline std::uint64_t sync(team_call at) { return start(kind::sync, {.members = *at.members, .routine = at.routine}); }

template <class T>
std::uint64_t broadcast(team_call at, T* dest, const T* source, std::size_t nelems, int root) {
  return start(kind::broadcast, broadcast_call_of(at, buffers_of(dest, source, nelems), root));
}
template <class T>
std::uint64_t fcollect(team_call at, T* dest, const T* source, std::size_t nelems) {
  return start(kind::fcollect, fcollect_call_of(at, buffers_of(dest, source, nelems)));
}
template <class T>
std::uint64_t alltoall(team_call at, T* dest, const T* source, std::size_t nelems) {
  return start(kind::alltoall, alltoall_call_of(at, buffers_of(dest, source, nelems)));
}
template <class Op, class T>
std::uint64_t reduce(team_call at, T* dest, const T* source, std::size_t nreduce) {
  return start(kind::reduce, combine_call<Op>(at, dest, source, nreduce));
}

}  // namespace oshen::coll::async
