// The collectives of the standard (OpenSHMEM 1.6, 9.9), typed: they check, erase the type and run the
// algorithm that was chosen for the team.
#pragma once

#include "coll/reduction.hpp"
#include "coll/registry.hpp"
#include "coll/site.hpp"

namespace oshen::coll {

// ---- checks and address translation, in collectives.cpp -----------------------------------------------

// Fills in dest and source, which must be symmetric over the given numbers of bytes. False: nothing to do.
void aim_task(task& job, site at, void* dest, const void* source, std::size_t dest_bytes, std::size_t source_bytes);
std::size_t product(site at, const char* argument, std::size_t a, std::size_t b);
void check_root(site at, int root);
void check_strides(site at, std::ptrdiff_t dst, std::ptrdiff_t sst);

inline std::size_t n_pes(site at) { return static_cast<std::size_t>(at.members->n_pes); }

// ---- barriers -----------------------------------------------------------------------------------------------

int sync(site at);
// On an active set: quiet on the default context, then sync.
void barrier(site at);
void barrier_all(const char* routine);
void sync_all(const char* routine);

// ---- data movement ------------------------------------------------------------------------------------------

template <class T>
int broadcast(site at, T* dest, const T* source, std::size_t nelems, int root, bool root_keeps_dest = false) {
  check_root(at, root);
  task job{.members = *at.members, .routine = at.routine, .elements = nelems, .element_bytes = sizeof(T),
           .root = root, .root_keeps_dest = root_keeps_dest};
  const std::size_t bytes = product(at, "nelems", nelems, sizeof(T));
  aim_task(job, at, dest, source, bytes, bytes);
  run(kind::broadcast, job);
  return 0;
}

// The deprecated form leaves the root's dest alone.
template <class T>
void broadcast_active(site at, T* dest, const T* source, std::size_t nelems, int root) {
  broadcast(at, dest, source, nelems, root, true);
}

template <class T>
int fcollect(site at, T* dest, const T* source, std::size_t nelems) {
  task job{.members = *at.members, .routine = at.routine, .elements = nelems, .element_bytes = sizeof(T)};
  const std::size_t bytes = product(at, "nelems", nelems, sizeof(T));
  aim_task(job, at, dest, source, product(at, "nelems", bytes, n_pes(at)), bytes);
  run(kind::fcollect, job);
  return 0;
}

// How large dest must be is known only when all counts are: here the own part is checked.
template <class T>
int collect(site at, T* dest, const T* source, std::size_t nelems) {
  task job{.members = *at.members, .routine = at.routine, .elements = nelems, .element_bytes = sizeof(T)};
  const std::size_t bytes = product(at, "nelems", nelems, sizeof(T));
  aim_task(job, at, dest, source, bytes, bytes);
  run(kind::collect, job);
  return 0;
}

template <class T>
int alltoall(site at, T* dest, const T* source, std::size_t nelems) {
  task job{.members = *at.members, .routine = at.routine, .elements = nelems, .element_bytes = sizeof(T)};
  const std::size_t bytes = product(at, "nelems", product(at, "nelems", nelems, sizeof(T)), n_pes(at));
  aim_task(job, at, dest, source, bytes, bytes);
  run(kind::alltoall, job);
  return 0;
}

template <class T>
int alltoalls(site at, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems) {
  check_strides(at, dst, sst);
  task job{.members = *at.members, .routine = at.routine, .elements = nelems, .element_bytes = sizeof(T),
           .dest_stride = dst, .source_stride = sst};
  const std::size_t blocks = product(at, "nelems", nelems, n_pes(at));
  // The last element of the last block ends the range.
  const auto span = [&](const char* argument, std::ptrdiff_t stride) {
    return blocks == 0 ? 0 : (product(at, argument, blocks - 1, static_cast<std::size_t>(stride)) + 1) * sizeof(T);
  };
  aim_task(job, at, dest, source, span("dst", dst), span("sst", sst));
  run(kind::alltoalls, job);
  return 0;
}

// ---- reductions and scans -----------------------------------------------------------------------------------

template <class Op, class T>
int combine_all(kind k, site at, T* dest, const T* source, std::size_t nelems) {
  task job{.members = *at.members, .routine = at.routine, .elements = nelems, .element_bytes = sizeof(T),
           .combine = combine<Op, T>};
  const std::size_t bytes = product(at, "nelems", nelems, sizeof(T));
  aim_task(job, at, dest, source, bytes, bytes);
  run(k, job);
  return 0;
}

template <class Op, class T>
int reduce(site at, T* dest, const T* source, std::size_t nreduce) {
  return combine_all<Op>(kind::reduce, at, dest, source, nreduce);
}
template <class T>
int inscan(site at, T* dest, const T* source, std::size_t nelems) {
  return combine_all<op_sum>(kind::inscan, at, dest, source, nelems);
}
template <class T>
int exscan(site at, T* dest, const T* source, std::size_t nelems) {
  return combine_all<op_sum>(kind::exscan, at, dest, source, nelems);
}

}  // namespace oshen::coll
