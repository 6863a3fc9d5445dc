// The collectives of the standard (OpenSHMEM 1.6, 9.9), typed. Each function checks its arguments, erases the type and
// runs the algorithm that is selected for the team.
#pragma once

#include "coll/api/reduction.hpp"
#include "coll/collective.hpp"
#include "coll/run/run.hpp"

namespace oshen::coll {

// ---- calls on elements of any type, in collectives.cpp ------------------------------------------------------------

// The buffers of a call on elements of one type, whose size is all that is left of the type.
struct element_buffers {
  void* dest;
  const void* source;
  std::size_t nelems;  // of one PE's contribution
  std::size_t element_bytes;
};
template <class T>
element_buffers buffers_of(T* dest, const T* source, std::size_t nelems) {
  return {dest, source, nelems, sizeof(T)};
}

// Each function checks the arguments and runs the call. The functions named after the calls build it only, for the
// non-blocking forms.
int run_broadcast(team_call at, const element_buffers& b, int root, bool root_keeps_dest);
int run_fcollect(team_call at, const element_buffers& b);
int run_alltoall(team_call at, const element_buffers& b);
int run_reduce(team_call at, const element_buffers& b, combine_function combine);
int run_scan(kind k, team_call at, const element_buffers& b, combine_function combine);
collective_call broadcast_call_of(team_call at, const element_buffers& b, int root);
collective_call fcollect_call_of(team_call at, const element_buffers& b);
collective_call alltoall_call_of(team_call at, const element_buffers& b);
collective_call combine_call_of(team_call at, const element_buffers& b, combine_function combine);

// ---- checks and address translation, in collectives.cpp -----------------------------------------------

// Sets dest and source of `call`, as addresses in this PE's slice. Ends the job if they are not symmetric over the
// given numbers of bytes.
void set_buffers(collective_call& call, team_call at, void* dest, const void* source, std::size_t dest_bytes,
                 std::size_t source_bytes);
// a * b; ends the job if the product overflows.
std::size_t product(team_call at, const char* argument, std::size_t a, std::size_t b);
void check_root(team_call at, int root);
void check_strides(team_call at, std::ptrdiff_t dst, std::ptrdiff_t sst);

inline std::size_t n_pes(team_call at) { return static_cast<std::size_t>(at.members->n_pes); }

// ---- barriers -----------------------------------------------------------------------------------------------

int sync(team_call at);
// The barrier of an active set: quiet on the default context, then sync.
void barrier(team_call at);
void barrier_all(const char* routine);
void sync_all(const char* routine);

// Runs a blocking call.
inline int carry_out(kind k, collective_call call) {
  run(k, call);
  return 0;
}

// ---- calls --------------------------------------------------------------------------------------------------

// A call on elements of type T that has no buffers yet. rooted_call_of() checks and sets the root, too.
template <class T>
collective_call call_of(team_call at, std::size_t nelems) {
  return {.members = *at.members, .routine = at.routine, .elements = nelems, .element_bytes = sizeof(T)};
}
template <class T>
collective_call rooted_call_of(team_call at, std::size_t nelems, int root) {
  check_root(at, root);
  collective_call call = call_of<T>(at, nelems);
  call.root = root;
  return call;
}

// ---- data movement ------------------------------------------------------------------------------------------

template <class T>
int broadcast(team_call at, T* dest, const T* source, std::size_t nelems, int root, bool root_keeps_dest = false) {
  return run_broadcast(at, buffers_of(dest, source, nelems), root, root_keeps_dest);
}

// The deprecated form does not write the root's dest.
template <class T>
void broadcast_active(team_call at, T* dest, const T* source, std::size_t nelems, int root) {
  broadcast(at, dest, source, nelems, root, true);
}

template <class T>
int fcollect(team_call at, T* dest, const T* source, std::size_t nelems) {
  return run_fcollect(at, buffers_of(dest, source, nelems));
}

// The required size of dest is known only after the PEs have exchanged their counts (run/run.cpp). So this function
// checks only this PE's own part.
template <class T>
int collect(team_call at, T* dest, const T* source, std::size_t nelems) {
  collective_call call = call_of<T>(at, nelems);
  const std::size_t bytes = product(at, "nelems", nelems, sizeof(T));
  set_buffers(call, at, dest, source, bytes, bytes);
  return carry_out(kind::collect, call);
}

template <class T>
int alltoall(team_call at, T* dest, const T* source, std::size_t nelems) {
  return run_alltoall(at, buffers_of(dest, source, nelems));
}

template <class T>
int alltoalls(team_call at, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems) {
  check_strides(at, dst, sst);
  collective_call call = call_of<T>(at, nelems);
  call.dest_stride = dst;
  call.source_stride = sst;
  const std::size_t blocks = product(at, "nelems", nelems, n_pes(at));
  // The range ends with the last element of the last block.
  const auto span = [&](const char* argument, std::ptrdiff_t stride) {
    return blocks == 0 ? 0 : (product(at, argument, blocks - 1, static_cast<std::size_t>(stride)) + 1) * sizeof(T);
  };
  set_buffers(call, at, dest, source, span("dst", dst), span("sst", sst));
  return carry_out(kind::alltoalls, call);
}

// ---- reductions and scans -----------------------------------------------------------------------------------

template <class Op, class T>
collective_call combine_call(team_call at, T* dest, const T* source, std::size_t nelems) {
  return combine_call_of(at, buffers_of(dest, source, nelems), combine<Op, T>);
}

template <class Op, class T>
int reduce(team_call at, T* dest, const T* source, std::size_t nreduce) {
  return run_reduce(at, buffers_of(dest, source, nreduce), combine<Op, T>);
}
template <class T>
int inscan(team_call at, T* dest, const T* source, std::size_t nelems) {
  return run_scan(kind::inscan, at, buffers_of(dest, source, nelems), combine<op_sum, T>);
}
template <class T>
int exscan(team_call at, T* dest, const T* source, std::size_t nelems) {
  return run_scan(kind::exscan, at, buffers_of(dest, source, nelems), combine<op_sum, T>);
}

}  // namespace oshen::coll
