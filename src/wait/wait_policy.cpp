#include "wait/wait_policy.hpp"

#include <algorithm>

namespace oshen {

namespace {

constexpr std::uint64_t shortest_yields_ns = 1000000;
constexpr std::uint64_t slices_of_all = 10;        // scheduling rounds of a CPU's PEs in which a collective completes
constexpr std::uint64_t longest_slice_ns = 10000;  // one PE's share of a round, with cold caches

// Sleeping costs the sleeper and the waker far more than a yield, so no PE should sleep during a collective.
std::uint64_t yields_of_crowd(int n_pes, int cpus) {
  const auto pes_of_cpu = static_cast<std::uint64_t>((n_pes + cpus - 1) / cpus);
  return std::max(shortest_yields_ns, slices_of_all * longest_slice_ns * pes_of_cpu);
}

}  // namespace

// A sleep and its wake-up take 50 us on a virtual machine. With a CPU for every PE, a wait sleeps after 1 ms and so
// loses at most 5 %. With more PEs than CPUs the awaited PE needs this CPU, so the wait yields at once.
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
