// Counters of processes that the kernel killed because memory was exhausted. They explain a SIGKILL.
#pragma once

namespace oshrun {

struct memory_kills {
  long in_group = 0;    // in the control group of oshrun and its subgroups
  long on_machine = 0;  // since boot
};

// Zeros if the kernel has no counters.
memory_kills count_memory_kills();

}  // namespace oshrun
