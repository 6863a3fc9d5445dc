// Reads /proc/PID/stat.
#pragma once

#include <sys/types.h>

namespace oshrun {

struct process_view {
  char state = '?';  // R running, S sleeping, D in the kernel, T stopped, Z ended
  pid_t parent = 0;
};
process_view read_process(pid_t pid);

}  // namespace oshrun
