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

constexpr int other_links_of_task = 2;  // besides one for each thread

// Faults are answers to what a thread does itself; SIGINT asks to end. Any other handler may be somebody's clock.
bool could_act(int signal) {
  constexpr int harmless[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGINT, SIGWINCH};
  for (const int one : harmless)
    if (signal == one) return false;
  struct sigaction action;
  if (sigaction(signal, nullptr, &action) != 0) return false;  // glibc keeps some for itself
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

// Nobody outside of this process can wake who sleeps there.
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

// In a futex of this process alone, without a limit: pthread_join, a condition, the idle threads of OpenMP.
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

bool has_ended(int thread) {  // as the first thread of a process has after pthread_exit
  char text[512];
  if (!read_of(thread, "stat", text, sizeof text)) return false;
  const char* end_of_name = strrchr(text, ')');
  return end_of_name != nullptr && strlen(end_of_name) > 2 && (end_of_name[2] == 'Z' || end_of_name[2] == 'X');
}

// How often it has gone to sleep or been put to sleep.
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
