// What the PEs tell each other before there is a segment, and what follows from it for all of them alike.
#pragma once

#include "os/cpu_quota.hpp"
#include "os/identity.hpp"
#include "world/allgathered.hpp"
#include "world/world.hpp"

namespace oshen {

// What each PE tells all others about itself.
struct pe_info {
  std::uint64_t program;         // a number of the executable
  std::uint64_t data_bytes;      // of its static data
  std::uint64_t heap_bytes;      // 0: no wish
  std::uint64_t address_space;   // what RLIMIT_AS leaves
  std::uint64_t memory;          // of the node, or of this PE's control group
  std::uint64_t agreed_settings; // a hash of the settings that must be the same everywhere
  std::uint64_t preferences;     // and of the tuning file ...
  std::uint64_t with_machine;    // ... with the user's file for this machine
  std::uint64_t pid_namespace;
  std::uint64_t host;            // of the machine
  std::uint64_t node;            // proposed: PEs with the same number may share memory
  std::uint64_t cpus[os::mask_words];
  os::cpu_quota quota;           // of its control group
  std::int32_t pid;
  std::uint32_t control_bytes;   // PEs of different releases must not meet
};

using all_pe_info = allgathered<pe_info>;

pe_info own_pe_info(const world& w);

// All PEs have one release and the same settings; else a line and `mismatch`.
status compare(const world& w, const all_pe_info& all);

// All PEs have read the same file of this user for this machine, or none.
bool one_machine_file(const world& w, const all_pe_info& all);
// All PEs run the same executable: its variables are symmetric. Different programs share the heap alone.
bool one_program(const world& w, const all_pe_info& all);

// How many PEs of the job run on the machine of PE `pe`.
int pes_on_host_of(const world& w, const all_pe_info& all, int pe);
bool one_host(const world& w, const all_pe_info& all);

// Bytes of heap for each PE: the largest wish; without one, a fair share of the machine's memory, as far as address
// space is limited.
std::size_t agree_on_heap(const world& w, const all_pe_info& all);

// CPUs that the PEs of one machine may use together, by their masks and by the quotas of their control groups, and how
// many PEs there are; on the machine where each PE gets least, so that all PEs count alike.
struct cpu_count {
  int cpus;
  int pes;
};
cpu_count count_cpus(const world& w, const all_pe_info& all);

// The CPU on which this PE begins where PEs that may use the same CPUs outnumber them: each CPU gets as many. -1: the
// kernel finds one.
int cpu_to_begin_on(const world& w, const all_pe_info& all);

// A process number of one PE of this node means the same process to every other.
bool one_pid_namespace(const world& w, const all_pe_info& all);

}  // namespace oshen
