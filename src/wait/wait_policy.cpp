#include "wait/wait_policy.hpp"

#include <algorithm>

namespace oshen {

namespace {

constexpr std::uint64_t shortest_yields_ns = 1000000;
constexpr std::uint64_t slices_of_all = 10;        // scheduling rounds of a CPU's PEs in which a collective completes
constexpr std::uint64_t longest_slice_ns = 10000;  // one PE's share of a round, with cold caches

// Sleeping costs the sleeper and the waker far more than a yield, so no PE should sleep during a collective.
std::uint64_t yields_of_crowd(std::uint64_t pes_of_cpu) {
  return std::max(shortest_yields_ns, slices_of_all * longest_slice_ns * pes_of_cpu);
}

// A waiting PE does some things by the clock. If thousands of PEs of a CPU do them as often as one does, they use up
// the CPU. So the time between two turns grows with the crowd; `share` is the part of it that each PE of a CPU adds.
std::uint64_t period_of_crowd(std::uint64_t shortest, std::uint64_t share, std::uint64_t pes_of_cpu) {
  return std::max(shortest, share * pes_of_cpu);
}

constexpr std::uint64_t shortest_look_ns = 100000000, share_of_look_ns = 5000000;       // a look takes 0.3 ms
constexpr std::uint64_t usual_longest_sleep_ns = 32000000, share_of_sleep_ns = 250000;  // a futile wake-up takes 10 us
constexpr std::uint64_t shortest_standby_ns = 200000, share_of_standby_ns = 2 * longest_slice_ns;
constexpr std::uint64_t longest_standby = 4;    // times the first one
constexpr std::uint64_t steady_gap_ns = 16000;  // a program that makes progress so often serves its peers itself
constexpr std::uint64_t shortest_retry_ns = 50000, share_of_retry_ns = longest_slice_ns;  // the peer needs its turn

}  // namespace

// A sleep and its wake-up take 50 us on a virtual machine. With a CPU for every PE, a wait sleeps after 1 ms and so
// loses at most 5 %. With more PEs than CPUs the awaited PE needs this CPU, so the wait yields at once.
wait_policy choose_waiting(const settings& config, int n_pes, int cpus, bool kernel_wakes) {
  const bool cpu_for_each = cpus >= n_pes;
  const auto pes_of_cpu = static_cast<std::uint64_t>((n_pes + cpus - 1) / cpus);
  wait_policy p;
  p.cpu_for_each = cpu_for_each;
  p.kernel_wakes = kernel_wakes;
  p.flags_are_fenced = !cpu_for_each;
  p.tests_give_way = !cpu_for_each;
  p.quick_tests = cpu_for_each ? 200 : 1;
  p.quick_yields = cpu_for_each ? 0 : 8;
  p.spin_ns = cpu_for_each ? 100000 : 0;
  p.yield_ns = cpu_for_each ? 900000 : yields_of_crowd(pes_of_cpu);
  if (config.spin_microseconds >= 0) p.spin_ns = static_cast<std::uint64_t>(config.spin_microseconds) * 1000;
  p.longest_awake_ns = 2000000;
  p.first_sleep_ns = kernel_wakes ? 1000000 : 50000;
  p.longest_sleep_ns = kernel_wakes ? period_of_crowd(usual_longest_sleep_ns, share_of_sleep_ns, pes_of_cpu) : 1000000;
  p.look_every_ns = period_of_crowd(shortest_look_ns, share_of_look_ns, pes_of_cpu);
  p.standby_ns = period_of_crowd(shortest_standby_ns, share_of_standby_ns, pes_of_cpu);
  p.retry_ns = period_of_crowd(shortest_retry_ns, share_of_retry_ns, pes_of_cpu);
  return p;
}

// Each wake-up of the thread takes the CPU from a waiting PE for up to 20 us. A program that has waited for some time
// will probably wait as long again, so the thread then stands aside for as long as it has seen that.
std::uint64_t next_standby(const wait_policy& policy, std::uint64_t before_ns, std::uint32_t advances) {
  if (advances * steady_gap_ns < before_ns) return policy.standby_ns;
  return std::clamp(2 * before_ns, policy.standby_ns, longest_standby * policy.standby_ns);
}

}  // namespace oshen
