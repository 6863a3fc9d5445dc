// What control groups grant of the CPUs.
#pragma once

#include <cstdint>

namespace oshen::os {

// The tightest quota above this process. PEs whose `group` is the same share it.
struct cpu_quota {
  std::uint64_t group = 0;  // 0: none
  double cpus = 0;
};

cpu_quota own_cpu_quota();

// The same from the text of a cgroup file, and folders under `root`; for tests.
cpu_quota cpu_quota_in(const char* cgroup_file, const char* root);

}  // namespace oshen::os
