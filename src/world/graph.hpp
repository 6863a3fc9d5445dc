// One PE's data of a graph: a neighborhood exchange that is run many times (coll/neighbor/graph.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/mutex.hpp"
#include "transport/transport.hpp"
#include "world/control.hpp"

namespace oshen {

struct world;

inline constexpr int most_buffers = 2;
inline constexpr std::uint32_t max_graphs = 1024;

// One end of an edge, on this PE. Lengths and indices are in elements.
struct graph_edge {
  edge_end* own_end;  // written by the peer
  // Written by this PE: the peer's edge end, as an address in this PE's own slice. If the peer is near, its edge end is
  // `peer_offset` bytes away from there.
  edge_end* peer_end;
  bool is_near;
  std::ptrdiff_t peer_offset;  // from this PE's slice to the peer's
  std::size_t elements;
  std::size_t first;        // index in this PE's dest (inward edge) or source (outward edge)
  std::size_t first_there;  // outward edge: index in the peer's dest
  std::uint64_t told;       // outward edge: the last run whose block was sent; inward edge: that the sender knows
  int pe;                   // of the world
};

struct graph {
  std::uintptr_t handle = 0;
  world* home = nullptr;
  graph_edge* in = nullptr;  // n_in + n_out edges in one block
  graph_edge* out = nullptr;
  int n_in = 0;
  int n_out = 0;
  int first_end = -1;  // index of the graph's first edge end in this PE's annex; those of `in` come first
  int buffers = 0;     // number of dests that the program uses in turn
  std::size_t element_bytes = 0;
  std::size_t dest_extent = 0;  // elements of dest that this PE or a peer accesses
  std::size_t source_extent = 0;

  std::uint64_t run = 0;  // the number of the current run
  bool under_way = false;
  char* dest = nullptr;  // of the current run, in this PE's slice
  const char* source = nullptr;
  transport::completion* lent = nullptr;  // blocks to other nodes whose source the transport may still read

  int ends() const { return n_in + n_out; }
};

// Frees the private memory of a graph.
void free_edges(graph& g);

// Allocates edge ends of this PE's annex. Any thread may call it.
class edge_end_allocator {
 public:
  // The first of `n` consecutive ends; -1 if there are not so many.
  int take(int n);
  void give_back(int first, int n);

 private:
  os::mutex lock_;
  std::uint64_t used_[max_edge_ends / 64] = {};
};

}  // namespace oshen
