#include "oshrun/proc.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "oshrun/posix.hpp"

namespace oshrun {

process_view read_process(pid_t pid) {
  char text[512];
  std::snprintf(text, sizeof text, "/proc/%d/stat", static_cast<int>(pid));
  const unique_fd file(open(text, O_RDONLY | O_CLOEXEC));
  const ssize_t bytes = file.open() ? read(file.get(), text, sizeof text - 1) : 0;
  if (bytes <= 0) return {};
  text[bytes] = '\0';
  process_view out;
  const char* after_name = std::strrchr(text, ')');  // the name may contain anything, even ") S 1"
  int parent = 0;
  if (after_name != nullptr && std::sscanf(after_name + 1, " %c %d", &out.state, &parent) == 2) out.parent = parent;
  return out;
}

}  // namespace oshrun
