// How often the kernel has killed for want of memory: what turns "signal 9" into a reason.
#pragma once

namespace oshrun {

struct memory_kills {
  long in_group = 0;    // in our control group and those below it
  long on_machine = 0;  // since it was started
};

// Zeros where the kernel does not count.
memory_kills count_memory_kills();

}  // namespace oshrun
