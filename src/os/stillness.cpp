#include "os/stillness.hpp"

#include <ctype.h>
#include <dirent.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace oshen::os {
namespace {

constexpr int other_links_of_task = 2;  // links of /proc/self/task in addition to one for each thread

// Handlers of fault signals run only in answer to the thread's own actions, and SIGINT asks to end. A handler of any
// other signal might act by itself: it may belong to a timer.
bool could_act(int signal) {
  constexpr int harmless[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGINT, SIGWINCH};
  for (const int one : harmless)
    if (signal == one) return false;
  struct sigaction action;
  if (sigaction(signal, nullptr, &action) != 0) return false;  // glibc reserves some signals
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

bool any_handler_could_act() {
  for (int signal = 1; signal < _NSIG; ++signal)
    if (could_act(signal)) return true;
  return false;
}

// The first bytes of /proc/self/task/THREAD/FILE, as text.
bool read_of(int thread, const char* file, char* text, std::size_t room) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/%s", thread, file);
  FILE* stream = fopen(path, "re");
  if (stream == nullptr) return false;
  const std::size_t length = fread(text, 1, room - 1, stream);
  fclose(stream);
  text[length] = '\0';
  return length != 0;
}

// True if the memory is private: no other process can wake a thread that sleeps there.
bool is_private(unsigned long address) {
  FILE* maps = fopen("/proc/self/maps", "re");
  if (maps == nullptr) return false;
  char line[512], permissions[8];
  unsigned long start = 0, end = 0;
  bool found = false;
  while (!found && fgets(line, sizeof line, maps) != nullptr)
    found = sscanf(line, "%lx-%lx %7s", &start, &end, permissions) == 3 && start <= address && address < end;
  fclose(maps);
  return found && permissions[3] == 'p';
}

// The thread waits without a time limit in a futex of this process, as in pthread_join, a condition variable, or an
// idle thread of OpenMP.
bool sleeps_for_good(int thread) {
  char text[512];
  long call = -1;
  unsigned long address = 0, operation = 0, value = 0, limit = 1;
  if (!read_of(thread, "syscall", text, sizeof text)) return false;
  if (sscanf(text, "%ld %lx %lx %lx %lx", &call, &address, &operation, &value, &limit) != 5) return false;
  const unsigned long kind = operation & static_cast<unsigned long>(FUTEX_CMD_MASK);
  if (call != SYS_futex || limit != 0 || (kind != FUTEX_WAIT && kind != FUTEX_WAIT_BITSET)) return false;
  return (operation & FUTEX_PRIVATE_FLAG) != 0 || is_private(address);
}

// For example the first thread of a process, after pthread_exit.
bool has_ended(int thread) {
  char text[512];
  if (!read_of(thread, "stat", text, sizeof text)) return false;
  const char* end_of_name = strrchr(text, ')');
  return end_of_name != nullptr && strlen(end_of_name) > 2 && (end_of_name[2] == 'Z' || end_of_name[2] == 'X');
}

// The number of context switches of the thread.
std::uint64_t switches_of(int thread) {
  char text[4096];
  if (!read_of(thread, "status", text, sizeof text)) return 0;
  std::uint64_t sum = 0;
  for (const char* at = text; (at = strstr(at, "ctxt_switches:")) != nullptr; ++at)
    sum += strtoull(at + strlen("ctxt_switches:"), nullptr, 10);
  return sum;
}

bool others_sleep(const int* waiting, int n_waiting, std::uint64_t& moves) {
  DIR* threads = opendir("/proc/self/task");
  if (threads == nullptr) return false;
  bool all = true;
  for (const dirent* entry; all && (entry = readdir(threads)) != nullptr;) {
    if (isdigit(static_cast<unsigned char>(*entry->d_name)) == 0) continue;
    const int thread = atoi(entry->d_name);
    bool known = false;
    for (int i = 0; i < n_waiting; ++i) known |= waiting[i] == thread;
    if (known) continue;
    moves = moves * 31 + static_cast<std::uint64_t>(thread) + switches_of(thread);
    all = has_ended(thread) || sleeps_for_good(thread);
  }
  closedir(threads);
  return all;
}

}  // namespace

int own_thread() { return static_cast<int>(syscall(SYS_gettid)); }

bool is_still(const int* waiting, int n_waiting, std::uint64_t& moves) {
  moves = 0;
  if (any_handler_could_act()) return false;
  struct stat task;
  if (stat("/proc/self/task", &task) != 0) return false;
  if (static_cast<int>(task.st_nlink) == n_waiting + other_links_of_task) return true;
  return others_sleep(waiting, n_waiting, moves);
}

}  // namespace oshen::os
