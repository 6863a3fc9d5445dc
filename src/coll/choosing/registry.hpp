// The collectives, and the algorithms that can carry them out. An algorithm is a file and a row here.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "world/team.hpp"

namespace oshen::coll {

enum class kind : std::uint8_t {
  sync, broadcast, collect, fcollect, alltoall, alltoalls, reduce, inscan, exscan,
  // shmemx.h
  alltoallv, gather, gatherv, scatter, scatterv, reduce_to_root, reduce_scatter
};
inline constexpr int kinds = 16;
static_assert(kinds <= collective_kinds);
const char* name_of(kind k);

// into[i] = into[i] op from[i]; the type and the operation are known where the function was made.
using combine_function = void (*)(void* into, const void* from, std::size_t elements);

// The blocks that an object has for the PEs, where they differ: lengths and places in elements, an entry for each PE.
// The caller's arrays, in private memory.
struct block_table {
  const std::size_t* elements = nullptr;
  const std::size_t* first = nullptr;
};

// One call of one collective, with the type erased. Addresses are those in this PE's own slice: a peer's
// object is one peer offset away from them (coll/protocol/peer_memory.hpp).
struct task {
  team& members;
  const char* routine;
  char* dest = nullptr;
  const char* source = nullptr;
  std::size_t elements = 0;        // of one PE's contribution
  std::size_t element_bytes = 1;
  int root = 0;                    // broadcast, gather, scatter, reduce_to_root
  bool root_keeps_dest = false;    // broadcast on an active set: the root's dest is not touched
  bool entered = false;            // this PE has posted already (collect: its count)
  bool blocks_differ = false;      // alltoallv, gatherv, scatterv
  combine_function combine = nullptr;
  block_table into = {};                // of dest: alltoallv, gatherv
  block_table from = {};                // of source: alltoallv, scatterv; reduce_scatter, lengths only
  std::size_t dest_bytes = 0;      // from the first to the last byte that the call may touch here
  std::size_t source_bytes = 0;
  std::ptrdiff_t dest_stride = 1;  // alltoalls, in elements
  std::ptrdiff_t source_stride = 1;

  std::size_t bytes() const { return elements * element_bytes; }
};

// The parameters of the cost model: typical ones, unless a tuning file says what oshtune has measured.
struct machine {
  int cpus = 1;            // that the PEs of the job may use together
  double line_ns = 100;    // a cache line, written on one CPU, is seen on another
  double copy_ns = 0.06;   // to copy a byte that another CPU has written
  double switch_ns = 1500;  // a CPU goes from one PE to the next
  double network_ns = 20000;         // a flag, raised on one node, is seen on another
  double network_message_ns = 4000;  // from one message of a node to its next
  double network_byte_ns = 0.4;      // of a long message, for each byte
};

// What the cost of an algorithm depends on (coll/choosing/cost.hpp): nothing that can differ between the PEs of a team.
struct setting {
  int n_pes;
  std::size_t bytes;    // one PE's contribution (collect: the largest of them); the largest of the size class
  bool cpu_for_each;    // no more PEs than CPUs
  bool workspace = true;  // the team has a workspace (control.hpp)
  bool spans = false;   // some PEs of the team are on other nodes
  int domains = 1;      // of the team (coll/choosing/domain.hpp)
  int domain = 1;       // PEs of the largest of them; where the team spans nodes they share a node's link
  machine on = {};
};

inline constexpr double impossible = 1e30;

// How the bytes travel: the sender writes where they belong (puts and flags), sender and receiver match messages, or
// whoever needs them reads them where they are.
enum class design : std::uint8_t { one_sided, two_sided, single_copy };
inline constexpr int designs = 3;
const char* name_of(design d);

// Where the PEs may be. `node`: it loads and stores in the memory of all. `any`: it tells other nodes what to know and
// puts bytes there, and waits only on its own memory.
enum class scope : std::uint8_t { node, any };
const char* name_of(scope s);

struct algorithm {
  kind collective;
  const char* name;
  design how;
  scope where = scope::node;
  const char* about;           // one sentence
  const char* needs = "";      // a condition in words
  const char* steps = "";      // messages that follow one another, in n (PEs) and b (bytes of one PE)
  const char* traffic = "";    // flags or messages and bytes moved, of all PEs together
  const char* paper = "";      // where it comes from, with its DOI
  double (*cost)(const setting&);  // nanoseconds, or `impossible`
  void (*run)(const task&);

  // The same for another collective.
  constexpr algorithm as(kind other) const {
    algorithm row = *this;
    row.collective = other;
    return row;
  }
  constexpr algorithm as(kind other, void (*other_run)(const task&)) const {
    algorithm row = as(other);
    row.run = other_run;
    return row;
  }
  // The same with other words, at another cost.
  constexpr algorithm with(const char* other_steps, const char* other_traffic) const {
    algorithm row = *this;
    row.steps = other_steps;
    row.traffic = other_traffic;
    return row;
  }
  constexpr algorithm at(double (*other_cost)(const setting&)) const {
    algorithm row = *this;
    row.cost = other_cost;
    return row;
  }
};

// Those of one schedule over the three protocols (coll/algorithms/rows.hpp).
struct protocol_rows {
  algorithm put, message, pull;
};

std::span<const algorithm* const> registry();
extern const algorithm* const rows[];  // the same, an instruction away

// Calls in which sizes differ between the PEs: zero is a contribution there, and the algorithm is chosen as for
// `usual_bytes`, since all must choose alike.
constexpr bool sizes_differ(kind k) { return k == kind::alltoallv || k == kind::gatherv || k == kind::scatterv; }
inline constexpr std::size_t usual_bytes = 4096;

// Class c holds the sizes up to 2^c that class c - 1 does not: powers of two, the usual sizes, are the largest of
// their class.
inline int size_class(std::size_t bytes) { return bytes == 0 ? 0 : static_cast<int>(std::bit_width(bytes - 1)); }

}  // namespace oshen::coll
