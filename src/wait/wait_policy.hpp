// Decides how a PE waits (design/waiting.md).
#pragma once

#include "base/settings.hpp"
#include "world/waiting.hpp"

namespace oshen {

wait_policy choose_waiting(const settings& config, int n_pes, int cpus, bool kernel_wakes);

// How long the network's thread stands aside, after a standby of `before_ns` (0: none) in which the program's threads
// made progress `advances` times.
std::uint64_t next_standby(const wait_policy& policy, std::uint64_t before_ns, std::uint32_t advances);

}  // namespace oshen
