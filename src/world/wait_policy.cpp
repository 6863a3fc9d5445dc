#include "world/wait_policy.hpp"

namespace oshen {

// With a CPU for every PE it pays to spin as long as waking would take (about 30 us) and a little more;
// with more PEs than CPUs whoever we wait for needs this CPU.
wait_policy choose_waiting(const settings& config, bool cpu_for_each, bool doorbells) {
  wait_policy p;
  p.cpu_for_each = cpu_for_each;
  p.doorbells = doorbells;
  p.quick_tests = cpu_for_each ? 200 : 1;
  p.spin_ns = cpu_for_each ? 100000 : 0;
  p.yield_ns = cpu_for_each ? 50000 : 1000000;
  if (config.spin_microseconds >= 0) p.spin_ns = static_cast<std::uint64_t>(config.spin_microseconds) * 1000;
  p.first_sleep_ns = doorbells ? 1000000 : 50000;
  p.longest_sleep_ns = doorbells ? 32000000 : 1000000;
  return p;
}

}  // namespace oshen
