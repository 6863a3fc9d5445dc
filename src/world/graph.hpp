// A graph of PEs along whose edges blocks travel again and again (coll/graph/graph.hpp): what one PE knows of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "os/mutex.hpp"
#include "world/control.hpp"

namespace oshen {

struct world;

inline constexpr int most_buffers = 2;
inline constexpr std::uint32_t max_graphs = 1024;

// One end of an edge, on this PE. Lengths and places in elements.
struct graph_edge {
  edge_end* own;             // what the peer writes here
  // What this PE writes there: where it would be in this PE's slice; the peer's is one peer offset away, if it is near.
  edge_end* theirs;
  bool is_near;
  std::ptrdiff_t peer_offset;  // from this PE's slice to the peer's
  std::size_t elements;
  std::size_t first;         // in this PE's dest (in) or source (out)
  std::size_t first_there;   // out: in the peer's dest
  std::uint64_t sent;        // out: the last run whose block was written
  int pe;                    // of the world
};

struct graph {
  std::uintptr_t handle = 0;
  world* home = nullptr;
  graph_edge* in = nullptr;   // n_in + n_out edges in one block
  graph_edge* out = nullptr;
  int n_in = 0;
  int n_out = 0;
  int first_end = -1;         // the place of the ends in this PE's control page; those of `in` first
  int buffers = 0;            // dests that the program uses in turn
  std::size_t element_bytes = 0;
  std::size_t dest_extent = 0;    // in elements: what this PE or a peer of it touches
  std::size_t source_extent = 0;

  std::uint64_t run = 0;      // the number of the present run
  bool under_way = false;
  char* dest = nullptr;       // of the present run, in this PE's slice
  const char* source = nullptr;

  int ends() const { return n_in + n_out; }
};

// Gives back the private memory of a graph.
void free_edges(graph& g);

// Which edge ends of this PE's control page are in use. Any thread.
class end_list {
 public:
  // The first of `n` ends in a row; -1 when there are not so many.
  int take(int n);
  void give_back(int first, int n);

 private:
  os::mutex lock_;
  std::uint64_t used_[max_edge_ends / 64] = {};
};

}  // namespace oshen
