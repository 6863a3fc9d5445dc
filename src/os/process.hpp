// Processes and CPUs.
#pragma once

#include <cstdint>

namespace oshen::os {

int own_pid();
bool process_exists(int pid);
bool process_is_stopped(int pid);  // by a signal or a debugger
// CPUs this process may run on.
int usable_cpus();
// How long this thread has been ready and without a CPU, ever. False where the kernel does not say.
bool waited_for_cpu(std::uint64_t& ns);
// Takes the calling thread to a CPU that it may run on. The kernel may move it on: which CPUs it may use stays.
void move_to_cpu(int cpu);
void yield();
void nap(std::uint64_t ns);

// The only two ways out of a process: at once, and as at the end of main (flushes, runs handlers).
[[noreturn]] void leave_at_once(int status);
[[noreturn]] void leave_normally(int status);

}  // namespace oshen::os
