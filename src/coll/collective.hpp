// The types that all folders of coll share: the kinds of collectives and a call of a collective with its type erased.
// Also an entry of the table of algorithms (select/registry.hpp), and the shape of a team, on which costs depend.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "op/call_site.hpp"
#include "world/team.hpp"

namespace oshen::coll {

// The kinds from alltoallv on are extensions (shmemx.h).
enum class kind : std::uint8_t {
  sync,
  broadcast,
  collect,
  fcollect,
  alltoall,
  alltoalls,
  reduce,
  inscan,
  exscan,
  alltoallv,
  gather,
  gatherv,
  scatter,
  scatterv,
  reduce_to_root,
  reduce_scatter
};
inline constexpr int kinds = 16;
static_assert(kinds <= collective_kinds);
const char* name_of(kind k);

// into[i] = into[i] op from[i]. The function is instantiated where the type and the operation are known (api/).
using combine_function = void (*)(void* into, const void* from, std::size_t elements);

// Blocks of different lengths, one for each PE: the number of elements of each, and the index of its first element. The
// caller owns the arrays, in private memory.
struct block_table {
  const std::size_t* counts = nullptr;
  const std::size_t* first = nullptr;
};

// The team of a collective call, and the routine that the program called.
struct team_call {
  team* members;
  const char* routine;
};
inline op::call_site site_of(team_call at) { return op::site_of(*at.members, at.routine); }

// One call of a collective, with its type erased. Addresses are those of this PE's own slice; a peer's copy of an
// object is at peer_address() (shared_memory/peer_memory.hpp).
struct collective_call {
  team& members;
  const char* routine;
  char* dest = nullptr;
  const char* source = nullptr;
  std::size_t elements = 0;  // of one PE's contribution
  std::size_t element_bytes = 1;
  int root = 0;                  // for broadcast, gather, scatter and reduce_to_root
  bool root_keeps_dest = false;  // broadcast on an active set: the root's dest is not written
  // One of dest and source is this PE's own block in the other. In a scatter the root then does not know the dest of
  // other PEs.
  bool in_place = false;
  bool entered = false;        // collect: this PE has already posted, with its count
  bool blocks_differ = false;  // true for alltoallv, gatherv and scatterv
  combine_function combine = nullptr;
  block_table into = {};       // blocks of dest, for alltoallv and gatherv
  block_table from = {};       // blocks of source, for alltoallv and scatterv; only their lengths, for reduce_scatter
  std::size_t dest_bytes = 0;  // bytes of dest and source that the call may access on this PE
  std::size_t source_bytes = 0;
  std::ptrdiff_t dest_stride = 1;  // alltoalls, in elements
  std::ptrdiff_t source_stride = 1;

  std::size_t bytes() const { return elements * element_bytes; }
};
inline op::call_site site_of(const collective_call& call) { return op::site_of(call.members, call.routine); }

// The parameters of the cost model, in nanoseconds. The defaults are typical values. A tuning file has the values that
// oshtune measured.
struct machine {
  int cpus = 1;                      // The number of CPUs that the PEs of the job may use.
  double line_ns = 100;              // The time until a cache line written on one CPU is visible on another.
  double copy_ns = 0.06;             // The time to copy one byte that another CPU has written.
  double switch_ns = 1500;           // The time in which a CPU switches from one PE to the next.
  double network_ns = 20000;         // The time until a flag raised on one node is visible on another.
  double network_message_ns = 4000;  // The time between two messages that one node sends.
  double network_byte_ns = 0.4;      // The time for each byte of a long message.
};

// The properties of a team and a call that determine the cost of an algorithm (select/cost.hpp). They are the same on
// all PEs of a team.
struct team_shape {
  int n_pes;
  // The contribution of one PE, rounded up to its size class. For collect: the largest contribution.
  std::size_t bytes;
  bool cpu_for_each;   // Every PE has a CPU of its own.
  bool spans = false;  // The team spans nodes.
  int domains = 1;     // The number of domains of the team (select/domain.hpp).
  int domain = 1;      // The PEs of the largest domain. If the team spans nodes, they share the link of a node.
  machine on = {};
};

inline constexpr double impossible = 1e30;

// The way in which bytes travel. one_sided: the sender puts them into the receiver's object and raises a flag.
// two_sided: sender and receiver match messages. single_copy: PEs read the source, or write the dest, of a peer in
// place.
enum class protocol_kind : std::uint8_t { one_sided, two_sided, single_copy };
inline constexpr int protocol_kinds = 3;
const char* name_of(protocol_kind p);

// The nodes on which the PEs of a team may be. With `node`, all are on one node, and the algorithm loads and stores in
// the memory of each. With `any`, the algorithm sends flags and puts to other nodes, and a PE waits on its own memory
// only.
enum class scope : std::uint8_t { node, any };
const char* name_of(scope s);

// An entry of the table of algorithms. The texts are for oshinfo and docs/algorithms.md.
struct algorithm {
  kind collective;
  const char* name;
  protocol_kind protocol;
  scope where = scope::node;
  const char* about;                  // One sentence.
  const char* needs = "";             // The condition under which it can run.
  const char* steps = "";             // Messages in sequence, in n (PEs) and b (bytes of one PE).
  const char* traffic = "";           // Flags or messages, and bytes moved, of all PEs together.
  const char* paper = "";             // The publication, with its DOI.
  double (*cost)(const team_shape&);  // Nanoseconds, or `impossible`.
  void (*run)(const collective_call&);

  // The same algorithm for another collective.
  constexpr algorithm as(kind other) const {
    algorithm entry = *this;
    entry.collective = other;
    return entry;
  }
  constexpr algorithm as(kind other, void (*other_run)(const collective_call&)) const {
    algorithm entry = as(other);
    entry.run = other_run;
    return entry;
  }
  // The same algorithm with other texts, or with another cost.
  constexpr algorithm with(const char* other_steps, const char* other_traffic) const {
    algorithm entry = *this;
    entry.steps = other_steps;
    entry.traffic = other_traffic;
    return entry;
  }
  constexpr algorithm at(double (*other_cost)(const team_shape&)) const {
    algorithm entry = *this;
    entry.cost = other_cost;
    return entry;
  }
};

// One schedule over the three protocols (algorithms/schedule.hpp).
struct protocol_variants {
  algorithm put, message, pull;
};

// True for collectives in which sizes differ between PEs. A PE may contribute nothing to them. All PEs must select the
// same algorithm, so they select it for `usual_bytes`.
constexpr bool sizes_differ(kind k) { return k == kind::alltoallv || k == kind::gatherv || k == kind::scatterv; }
inline constexpr std::size_t usual_bytes = 4096;

// Size class c contains the sizes above 2^(c - 1), up to 2^c.
inline int size_class(std::size_t bytes) { return bytes == 0 ? 0 : static_cast<int>(std::bit_width(bytes - 1)); }

}  // namespace oshen::coll
