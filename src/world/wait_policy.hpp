// How a PE waits here; decided once from PEs, CPUs and kernel (design/waiting.md).
#pragma once

#include <cstdint>

#include "base/settings.hpp"

namespace oshen {

struct wait_policy {
  bool cpu_for_each = false;         // no more PEs than CPUs
  unsigned quick_tests = 0;          // tests in the caller, a pause apart, before anything else happens
  unsigned near_tests = 0;           // of those, where a job is on several nodes: only in waits for near PEs
  unsigned quick_yields = 0;         // then the CPU is handed over so often before the clock is looked at
  std::uint64_t spin_ns = 0;         // then spin this long (a CPU for every PE) or
  std::uint64_t yield_ns = 0;        // hand over the CPU this long (more PEs than CPUs)
  std::uint64_t longest_awake_ns = 0;  // after wakes that were in vain both last longer, at most twice this
  std::uint64_t first_sleep_ns = 0;  // then sleep; each sleep is bounded and twice the one before
  std::uint64_t longest_sleep_ns = 0;
  bool flags_are_fenced = false;     // writers of flags fence, so that who sleeps for them need not interrupt anybody
  bool tests_give_way = false;       // a test in vain is a wait's: it hands over the CPU, or makes progress
  bool kernel_wakes = false;         // the kernel can wake a sleeper safely; else sleeps are short
};

wait_policy choose_waiting(const settings& config, int n_pes, int cpus, bool kernel_wakes);

}  // namespace oshen
