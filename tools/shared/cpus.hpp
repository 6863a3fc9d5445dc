// The CPUs that a job may use, and their distribution over the PEs.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "oshrun/options.hpp"

namespace oshrun {

// A CPU set in the format of the kernel. cpu_set_t holds only 1024 CPUs.
class cpu_mask {
 public:
  static constexpr int most_cpus = 8192;
  void add(int cpu);
  bool has(int cpu) const;
  int count() const;
  std::string text() const;  // "0,2-5"

  unsigned long* data() { return words_.data(); }
  const unsigned long* data() const { return words_.data(); }
  static constexpr std::size_t bytes() { return most_cpus / 8; }

 private:
  static constexpr int word_bits = 8 * sizeof(unsigned long);
  std::array<unsigned long, most_cpus / word_bits> words_{};
};

// The CPUs of sched_getaffinity, which respects cpusets of batch systems and containers.
cpu_mask usable_cpus();

// One list of CPUs (hardware threads) for each core in `usable`. If the kernel does not report the topology, each CPU
// is a core.
using core_list = std::vector<std::vector<int>>;
core_list cores_of(const cpu_mask& usable);

// The same cores grouped by socket, NUMA node or last-level cache; mapping::none gives one group. Empty if the kernel
// does not report the group of some core.
std::vector<core_list> domains_of(const core_list& cores, mapping by);

// Distributes PEs over the domains round-robin. The PEs of a domain share its cores as share_cpus does.
std::vector<cpu_mask> map_cpus(const std::vector<core_list>& domains, int n_pes, binding how);

// One mask for each PE; empty if the PEs are not bound.
std::vector<cpu_mask> share_cpus(const core_list& cores, int n_pes, binding how);

}  // namespace oshrun
