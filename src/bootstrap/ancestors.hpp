// The ancestors of this process. They reveal a launcher even if the environment was cleaned.
#pragma once

#include <cstddef>

namespace oshen::bootstrap {

struct ancestor {
  int pid = 0;
  char name[32] = "";  // as in /proc/PID/comm
};

// The nearest ancestor that belongs to a launcher; pid 0: none.
ancestor launcher_above();

// Finds a library whose path contains `part` in the nearest ancestor that has loaded one, and writes its path.
bool library_of_ancestor(const char* part, char* path, std::size_t capacity);

}  // namespace oshen::bootstrap
