#include "world/wait_policy.hpp"

#include <algorithm>

namespace oshen {

namespace {

constexpr std::uint64_t shortest_yields_ns = 1000000;
constexpr std::uint64_t slices_of_all = 10;     // of every PE of a CPU, until a collective must be over
constexpr std::uint64_t longest_slice_ns = 10000;  // hundreds of PEs find nothing of theirs in the caches

// Sleeping costs far more than a turn, for the sleeper and for who wakes it: while a collective goes on nobody should.
std::uint64_t yields_of_crowd(int n_pes, int cpus) {
  const auto pes_of_cpu = static_cast<std::uint64_t>((n_pes + cpus - 1) / cpus);
  return std::max(shortest_yields_ns, slices_of_all * longest_slice_ns * pes_of_cpu);
}

}  // namespace

// To sleep and be woken takes 50 us on a virtual machine: with a CPU for every PE a wait that has lasted 1 ms loses 5 %
// to it. With more PEs than CPUs whoever we wait for needs this CPU.
wait_policy choose_waiting(const settings& config, int n_pes, int cpus, bool kernel_wakes) {
  const bool cpu_for_each = cpus >= n_pes;
  wait_policy p;
  p.cpu_for_each = cpu_for_each;
  p.kernel_wakes = kernel_wakes;
  p.flags_are_fenced = !cpu_for_each;
  p.tests_give_way = !cpu_for_each;
  p.quick_tests = cpu_for_each ? 200 : 1;
  p.quick_yields = cpu_for_each ? 0 : 8;
  p.spin_ns = cpu_for_each ? 100000 : 0;
  p.yield_ns = cpu_for_each ? 900000 : yields_of_crowd(n_pes, cpus);
  if (config.spin_microseconds >= 0) p.spin_ns = static_cast<std::uint64_t>(config.spin_microseconds) * 1000;
  p.longest_awake_ns = 2000000;
  p.first_sleep_ns = kernel_wakes ? 1000000 : 50000;
  p.longest_sleep_ns = kernel_wakes ? 32000000 : 1000000;
  return p;
}

}  // namespace oshen
