#include "os/process.hpp"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>

namespace oshen::os {

int own_pid() { return static_cast<int>(getpid()); }

bool process_exists(int pid) { return kill(pid, 0) == 0 || errno != ESRCH; }

bool process_is_stopped(int pid) {
  char text[512];
  snprintf(text, sizeof text, "/proc/%d/stat", pid);
  FILE* file = fopen(text, "re");
  if (file == nullptr) return false;
  const std::size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  const char* end_of_name = strrchr(text, ')');  // the name may contain ')'; the state follows the last one
  return end_of_name != nullptr && length > 0 && (end_of_name[2] == 'T' || end_of_name[2] == 't');
}

int usable_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);  // more CPUs than cpu_set_t can hold
  return online > 0 ? static_cast<int>(online) : 1;
}

// The second number of schedstat is the time spent on a run queue.
bool waited_for_cpu(std::uint64_t& ns) {
  FILE* file = fopen("/proc/thread-self/schedstat", "re");
  if (file == nullptr) return false;
  unsigned long long waited = 0;
  const bool is_known = fscanf(file, "%*u %llu", &waited) == 1;
  fclose(file);
  ns = waited;
  return is_known;
}

thread_use own_use() {
  timespec cpu{};
  rusage use{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  getrusage(RUSAGE_THREAD, &use);
  return {.cpu_ns = static_cast<std::uint64_t>(cpu.tv_sec) * 1000000000u + static_cast<std::uint64_t>(cpu.tv_nsec),
          .blocks = static_cast<std::uint64_t>(use.ru_nvcsw)};
}

void move_to_cpu(int cpu) {
  cpu_set_t before, there;
  if (sched_getaffinity(0, sizeof before, &before) != 0) return;
  CPU_ZERO(&there);
  CPU_SET(static_cast<std::size_t>(cpu), &there);
  if (sched_setaffinity(0, sizeof there, &there) == 0) sched_setaffinity(0, sizeof before, &before);
}

void yield() { sched_yield(); }

void nap(std::uint64_t ns) {
  const timespec length{.tv_sec = static_cast<time_t>(ns / 1000000000u),
                        .tv_nsec = static_cast<long>(ns % 1000000000u)};
  nanosleep(&length, nullptr);
}

void wait_for_reader_of_errors() {
  struct stat about;
  if (fstat(STDERR_FILENO, &about) != 0 || !S_ISFIFO(about.st_mode)) return;
  constexpr int patience_ms = 2000;  // a launcher on a busy machine takes its time
  int unread = 0;
  for (int i = 0; i < patience_ms && ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0; ++i) nap(1000000);
}

void leave_at_once(int status) {
  fflush(nullptr);
  _exit(status);
}

void leave_normally(int status) { exit(status); }

}  // namespace oshen::os
