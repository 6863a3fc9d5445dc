// Decides how a PE waits (design/waiting.md).
#pragma once

#include "base/settings.hpp"
#include "world/waiting.hpp"

namespace oshen {

wait_policy choose_waiting(const settings& config, int n_pes, int cpus, bool kernel_wakes);

}  // namespace oshen
