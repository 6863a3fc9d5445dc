// Memory limits and CPU quotas of control groups, versions 1 and 2. A group is bound by its own limits and by those of
// all groups above it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen::os {

struct memory_limits {
  std::size_t limit = static_cast<std::size_t>(-1);  // the smallest limit; SIZE_MAX: none
  std::size_t room = static_cast<std::size_t>(-1);   // bytes that can still be used in every group
};

// The limits of this process.
memory_limits own_memory_limits();

// For tests: the same for the groups in the file `list`, which has the form of /proc/self/cgroup, with the hierarchies
// below `root`.
memory_limits read_memory_limits(const char* list, const char* root);

// The tightest CPU quota that binds a process. PEs with the same `group` share it.
struct cpu_quota {
  std::uint64_t group = 0;  // 0: there is no quota
  double cpus = 0;
};

// The quota of this process.
cpu_quota own_cpu_quota();

// For tests: the same for the groups in the file `cgroup_file`, with the hierarchies below `root`.
cpu_quota cpu_quota_in(const char* cgroup_file, const char* root);

}  // namespace oshen::os
