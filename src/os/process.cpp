#include "os/process.hpp"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

namespace oshen::os {

int own_pid() { return static_cast<int>(getpid()); }

bool process_exists(int pid) { return kill(pid, 0) == 0 || errno != ESRCH; }

int usable_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);  // more CPUs than cpu_set_t can hold
  return online > 0 ? static_cast<int>(online) : 1;
}

void yield() { sched_yield(); }

void nap(std::uint64_t ns) {
  const timespec length{.tv_sec = static_cast<time_t>(ns / 1000000000u), .tv_nsec = static_cast<long>(ns % 1000000000u)};
  nanosleep(&length, nullptr);
}

void leave_at_once(int status) {
  fflush(nullptr);
  _exit(status);
}

void leave_normally(int status) { exit(status); }

}  // namespace oshen::os
