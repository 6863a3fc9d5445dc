// Which CPUs a job may use, and which of them each PE gets.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "oshrun/options.hpp"

namespace oshrun {

// As the kernel wants it; wider than cpu_set_t, which ends at 1024 CPUs.
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

// From sched_getaffinity, so that cpusets of batch systems and containers are respected.
cpu_mask usable_cpus();

// One list of CPUs (hardware threads) for each core among `usable`. A machine that does not tell
// its topology has one CPU in each core.
using core_list = std::vector<std::vector<int>>;
core_list cores_of(const cpu_mask& usable);

// The same cores by what they share; none: all in one. Empty where the kernel does not say it of some core.
std::vector<core_list> domains_of(const core_list& cores, dealing by);

// PEs dealt to the domains in turn; those of a domain share it as share_cpus says.
std::vector<cpu_mask> deal_cpus(const std::vector<core_list>& domains, int n_pes, binding how);

// One mask for each PE; empty when the PEs are not to be bound.
std::vector<cpu_mask> share_cpus(const core_list& cores, int n_pes, binding how);

}  // namespace oshrun
