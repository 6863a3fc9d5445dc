// The memory limits of control groups, versions 1 and 2. A group is bound by its own limit and by those of all groups
// that it lies in.
#pragma once

#include <cstddef>

namespace oshen::os {

struct memory_limits {
  std::size_t limit = static_cast<std::size_t>(-1);  // the least of all; SIZE_MAX: none
  std::size_t room = static_cast<std::size_t>(-1);   // what the tightest group leaves
};

// Of this process.
memory_limits own_memory_limits();

// The same from a list of groups as in /proc/self/cgroup, and with the hierarchies below `root` (tests).
memory_limits read_memory_limits(const char* list, const char* root);

}  // namespace oshen::os
