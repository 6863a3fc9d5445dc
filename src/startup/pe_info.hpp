// The data that PEs exchange before they have a segment, and the decisions that every PE derives from that data alike.
#pragma once

#include "os/control_group.hpp"
#include "os/identity.hpp"
#include "startup/allgathered.hpp"
#include "world/world.hpp"

namespace oshen {

// The data that each PE sends to the others.
struct pe_info {
  std::uint64_t program_id;       // a hash of the executable
  std::uint64_t data_bytes;       // of its static data
  std::uint64_t heap_bytes;       // requested size of the heap; 0: not given
  std::uint64_t address_space;    // address space left by RLIMIT_AS
  std::uint64_t memory_bytes;     // of the node, or of this PE's control group
  std::uint64_t agreed_settings;  // a hash of the settings that must be the same on all PEs
  std::uint64_t tuning_digest;    // a hash of the tuning file
  std::uint64_t with_machine;     // a hash that includes the user's file for this machine
  std::uint64_t pid_namespace;
  std::uint64_t host_id;  // a hash of the machine's identity
  std::uint64_t node;     // proposed: PEs with the same number may be able to share memory
  std::uint64_t cpu_mask[os::mask_words];
  os::cpu_quota quota;
  std::int32_t pid;
  std::uint32_t control_bytes;  // differs between releases of the library
};

using all_pe_info = allgathered<pe_info>;

pe_info own_pe_info(const world& w);

// Checks that all PEs have the same release and settings; otherwise prints an error and returns `mismatch`.
status compare(const world& w, const all_pe_info& all);

// True if all PEs have read the same user's file for this machine, or none.
bool one_machine_file(const world& w, const all_pe_info& all);
// True if all PEs run the same executable, so that its variables are symmetric. Different programs share the heap only.
bool one_program(const world& w, const all_pe_info& all);

// True if no two PEs that the launcher puts on one node have different hosts. Slurm's process mapping is wrong for
// arbitrary distributions.
bool proposed_nodes_hold(const world& w, const all_pe_info& all);

// The number of the job's PEs on the machine of PE `pe`.
int pes_on_host_of(const world& w, const all_pe_info& all, int pe);
bool one_host(const world& w, const all_pe_info& all);

// Team slots of a PE: fewer where a PE's address space or file size is limited.
int agree_on_team_slots(const world& w, const all_pe_info& all);

// Bytes of heap for each PE: the largest requested size; without a request, an equal share of the machine's memory,
// limited by the address space.
std::size_t agree_on_heap(const world& w, const all_pe_info& all);
// Bytes of team heap for each PE, beside `heap_bytes` of heap.
std::size_t agree_on_team_heap(const world& w, const all_pe_info& all, std::size_t heap_bytes);

// The CPUs that the PEs of one machine share, by their affinity masks and the quotas of their control groups, and the
// number of these PEs. The machine is the one with the fewest CPUs for each PE, so that all PEs of the job get the same
// result.
struct cpu_count {
  int cpus;
  int n_pes;
};
cpu_count count_cpus(const world& w, const all_pe_info& all);

// The CPU on which this PE starts, if more PEs than CPUs have the same affinity mask: they are distributed evenly. -1:
// the kernel chooses.
int first_cpu(const world& w, const all_pe_info& all);

// True if all PEs of this node agree on the meaning of a pid.
bool one_pid_namespace(const world& w, const all_pe_info& all);

}  // namespace oshen
