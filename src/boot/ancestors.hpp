// The processes above this one, as the kernel shows them: what a cleaned environment does not.
#pragma once

#include <cstddef>

namespace oshen::boot {

struct ancestor {
  int pid = 0;
  char name[32] = "";  // as /proc/PID/comm has it
};

// The nearest process above this one that is a launcher's; pid 0: none.
ancestor launcher_above();

// The path of a library whose path contains `part`, in the nearest ancestor that has it loaded.
bool library_of_ancestor(const char* part, char* path, std::size_t capacity);

}  // namespace oshen::boot
