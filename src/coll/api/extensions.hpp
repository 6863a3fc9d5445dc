// The collectives that the standard lacks (shmemx.h), typed. Each function checks its arguments, erases the type and
// runs the algorithm that is selected for the team. Arrays of counts and displacements are in private memory. They have
// an entry for each PE, in elements.
#pragma once

#include <numeric>

#include "coll/api/collectives.hpp"

namespace oshen::coll {

// ---- checks, in extensions.cpp ----------------------------------------------------------------------------

// The names of the arguments, for error lines.
struct block_names {
  const char* counts;
  const char* displs;
};
inline constexpr block_names dest_blocks{"dest_counts", "dest_displs"};
inline constexpr block_names source_blocks{"source_counts", "source_displs"};

// The bytes from the start of the object to the end of the last block.
std::size_t extent(team_call at, block_names names, const block_table& b, std::size_t element_bytes);
inline bool is_own(team_call at, int pe) { return at.members->my_pe == pe; }
inline std::size_t own_place(team_call at) { return static_cast<std::size_t>(at.members->my_pe); }
// The sum, and the maximum, of an array of counts.
std::size_t total(team_call at, const char* argument, const std::size_t* counts);
std::size_t largest(team_call at, const std::size_t* counts);
// Like set_buffers(), for calls in which a PE needs the addresses even if it has no elements of its own.
void set_block_buffers(collective_call& call, team_call at, void* dest, const void* source, std::size_t dest_bytes,
                       std::size_t source_bytes);

// True if `block`, one argument of a call, is the block in the other argument, `whole`, that begins at element `first`.
template <class T>
bool is_block_of(const T* block, const T* whole, std::size_t first) {
  return block != nullptr && block == whole + first;
}

// ---- barrier --------------------------------------------------------------------------------------------------

// Quiet on the default context, then sync.
int team_barrier(team_call at);

// ---- data movement ------------------------------------------------------------------------------------------

template <class T>
int alltoallv(team_call at, T* dest, const std::size_t* dest_counts, const std::size_t* dest_displs, const T* source,
              const std::size_t* source_counts, const std::size_t* source_displs) {
  collective_call call = call_of<T>(at, 0);
  call.into = {dest_counts, dest_displs};
  call.from = {source_counts, source_displs};
  set_block_buffers(call, at, dest, source, extent(at, dest_blocks, call.into, sizeof(T)),
                    extent(at, source_blocks, call.from, sizeof(T)));
  return carry_out(kind::alltoallv, call);
}

template <class T>
int gather(team_call at, T* dest, const T* source, std::size_t nelems, int root) {
  collective_call call = rooted_call_of<T>(at, nelems, root);
  const std::size_t bytes = product(at, "nelems", nelems, sizeof(T));
  set_buffers(call, at, dest, source, product(at, "nelems", bytes, n_pes(at)), bytes);
  call.in_place = is_own(at, root) && is_block_of<T>(source, dest, own_place(at) * nelems);
  return carry_out(kind::gather, call);
}

template <class T>
int scatter(team_call at, T* dest, const T* source, std::size_t nelems, int root) {
  collective_call call = rooted_call_of<T>(at, nelems, root);
  const std::size_t bytes = product(at, "nelems", nelems, sizeof(T));
  set_buffers(call, at, dest, source, bytes, product(at, "nelems", bytes, n_pes(at)));
  call.in_place = is_own(at, root) && is_block_of<T>(dest, source, own_place(at) * nelems);
  return carry_out(kind::scatter, call);
}

template <class T>
int gatherv(team_call at, T* dest, const std::size_t* dest_counts, const std::size_t* dest_displs, const T* source,
            std::size_t nelems, int root) {
  collective_call call = rooted_call_of<T>(at, nelems, root);
  call.into = {dest_counts, dest_displs};
  const bool receives = is_own(at, root);
  set_block_buffers(call, at, dest, source, receives ? extent(at, dest_blocks, call.into, sizeof(T)) : 0,
                    product(at, "nelems", nelems, sizeof(T)));
  call.in_place = receives && is_block_of<T>(source, dest, dest_displs[root]);
  return carry_out(kind::gatherv, call);
}

template <class T>
int scatterv(team_call at, T* dest, std::size_t nelems, const T* source, const std::size_t* source_counts,
             const std::size_t* source_displs, int root) {
  collective_call call = rooted_call_of<T>(at, nelems, root);
  call.from = {source_counts, source_displs};
  const bool sends = is_own(at, root);
  const std::size_t source_bytes = sends ? extent(at, source_blocks, call.from, sizeof(T)) : 0;
  call.in_place = sends && is_block_of<T>(dest, source, source_displs[root]);
  // The root writes into the dest of every PE, so it checks its own dest for the largest block.
  const std::size_t most = sends && !call.in_place ? largest(at, source_counts) : nelems;
  set_block_buffers(call, at, dest, source, product(at, "nelems", most > nelems ? most : nelems, sizeof(T)),
                    source_bytes);
  return carry_out(kind::scatterv, call);
}

// ---- reductions ---------------------------------------------------------------------------------------------

template <class Op, class T>
int reduce_to_root(team_call at, T* dest, const T* source, std::size_t nreduce, int root) {
  collective_call call = rooted_call_of<T>(at, nreduce, root);
  call.combine = combine<Op, T>;
  const std::size_t bytes = product(at, "nreduce", nreduce, sizeof(T));
  set_buffers(call, at, dest, source, bytes, bytes);
  return carry_out(kind::reduce_to_root, call);
}

template <class Op, class T>
int reduce_scatter(team_call at, T* dest, const T* source, std::size_t nreduce) {
  collective_call call = call_of<T>(at, nreduce);
  call.combine = combine<Op, T>;
  const std::size_t bytes = product(at, "nreduce", nreduce, sizeof(T));
  set_buffers(call, at, dest, source, bytes, product(at, "nreduce", bytes, n_pes(at)));
  call.in_place = is_block_of<T>(dest, source, own_place(at) * nreduce);
  return carry_out(kind::reduce_scatter, call);
}

// The counts are the same on all PEs, so the algorithm can be selected by their mean.
template <class Op, class T>
int reduce_scatterv(team_call at, T* dest, const T* source, const std::size_t* counts) {
  const std::size_t all = total(at, "counts", counts);
  collective_call call = call_of<T>(at, (all + n_pes(at) - 1) / n_pes(at));
  call.combine = combine<Op, T>;
  call.from = {counts, nullptr};
  const std::size_t mine = counts[at.members->my_pe];
  set_buffers(call, at, dest, source, product(at, "counts", mine, sizeof(T)), product(at, "counts", all, sizeof(T)));
  call.in_place = is_block_of<T>(dest, source, std::accumulate(counts, counts + own_place(at), std::size_t{0}));
  return carry_out(kind::reduce_scatter, call);
}

}  // namespace oshen::coll
