// Processes and CPUs.
#pragma once

#include <cstdint>

namespace oshen::os {

int own_pid();
bool process_exists(int pid);
bool process_is_stopped(int pid);  // by a signal or a debugger
// The number of CPUs that this process may run on.
int usable_cpus();
// The total time for which this thread was ready to run and had no CPU. False if the kernel does not tell.
bool waited_for_cpu(std::uint64_t& ns);
// What the calling thread has used: CPU time, and the number of times that it has blocked. To yield is not to block.
struct thread_use {
  std::uint64_t cpu_ns = 0;
  std::uint64_t blocks = 0;
};
thread_use own_use();

// Moves the calling thread to a CPU of its affinity mask. The mask stays as it is, so the kernel may move it again.
void move_to_cpu(int cpu);
void yield();
void nap(std::uint64_t ns);

// Waits until the reader of standard error has taken what was written, 2 s at most: a launcher that ends the job at
// once does not pass on what it has not read.
void wait_for_reader_of_errors();

// The only two ways to end the process: leave_at_once() flushes streams and runs no handlers; leave_normally() is
// exit().
[[noreturn]] void leave_at_once(int status);
[[noreturn]] void leave_normally(int status);

}  // namespace oshen::os
