#include "os/stillness.hpp"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#include "os/thread.hpp"

namespace oshen::os {
namespace {

constexpr int other_links_of_task = 2;  // links of /proc/self/task in addition to one for each thread

// Signals that only answer an action of the process itself, such as a fault or the CPU time that it uses.
bool answers_own_action(int signal) {
  constexpr int answers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ, SIGWINCH};
  for (const int one : answers)
    if (signal == one) return true;
  return false;
}

// True if the handler belongs to the run-time library of a language. Handlers of Fortran print a backtrace and end the
// process. Python's handler runs no code of the program until the call of the library has returned.
bool belongs_to_language(const void* handler) {
  Dl_info owner;
  if (dladdr(handler, &owner) == 0 || owner.dli_fname == nullptr) return false;
  const char* slash = strrchr(owner.dli_fname, '/');
  const char* file = slash != nullptr ? slash + 1 : owner.dli_fname;
  constexpr const char* prefixes[] = {"libgfortran", "libifcore", "libflang", "libFortran", "libpython"};
  for (const char* prefix : prefixes)
    if (strncmp(file, prefix, strlen(prefix)) == 0) return true;
  Dl_info python;  // may be linked into the executable
  void* function = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
  return function != nullptr && dladdr(function, &python) != 0 && python.dli_fbase == owner.dli_fbase;
}

// Any other handler might act by itself: it may belong to a timer, or to a user who presses Ctrl-C.
bool could_act(int signal) {
  struct sigaction action;
  if (answers_own_action(signal)) return false;
  if (sigaction(signal, nullptr, &action) != 0) return false;  // glibc reserves some signals
  if ((action.sa_flags & SA_SIGINFO) == 0 && (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN))
    return false;
  const void* handler = (action.sa_flags & SA_SIGINFO) != 0 ? reinterpret_cast<const void*>(action.sa_sigaction)
                                                            : reinterpret_cast<const void*>(action.sa_handler);
  return !belongs_to_language(handler);
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

// True if the thread waits without a time limit in a futex of this process, as in pthread_join, at a condition
// variable, or as an idle thread of OpenMP.
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

// True for a thread that has ended, such as the first thread of a process after pthread_exit.
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
    bool known = is_library_thread(thread);
    for (int i = 0; i < n_waiting; ++i) known |= waiting[i] == thread;
    if (known) continue;
    moves = moves * 31 + static_cast<std::uint64_t>(thread) + switches_of(thread);
    all = has_ended(thread) || sleeps_for_good(thread);
  }
  closedir(threads);
  return all;
}

// The kernel may complete a request of an io_uring at any time, and write into symmetric memory.
bool has_io_uring() {
  DIR* descriptors = opendir("/proc/self/fd");
  if (descriptors == nullptr) return true;
  bool found = false;
  for (const dirent* entry; !found && (entry = readdir(descriptors)) != nullptr;) {
    char target[64] = "";
    const ssize_t length = readlinkat(dirfd(descriptors), entry->d_name, target, sizeof target - 1);
    found = length > 0 && strstr(target, "[io_uring]") != nullptr;
  }
  closedir(descriptors);
  return found;
}

// True if the process maps memory of the library. A child keeps the mappings of this process until it calls exec.
bool maps_our_memory(long process) {
  constexpr char name[] = "/memfd:oshen";
  constexpr std::size_t overlap = sizeof name - 1;
  char path[32], text[4096 + sizeof name];
  snprintf(path, sizeof path, "/proc/%ld/maps", process);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool found = false;
  std::size_t kept = 0;  // bytes of the previous part, in which the name may begin
  for (ssize_t got; !found && (got = read(fd, text + kept, 4096)) > 0;) {
    const std::size_t n = kept + static_cast<std::size_t>(got);
    text[n] = '\0';
    found = strstr(text, name) != nullptr;
    kept = n < overlap ? n : overlap;
    memmove(text, text + n - kept, kept);
  }
  close(fd);
  return found;
}

// A child made by clone(CLONE_VM) stores into all of this process's memory, and a child of fork() into the symmetric
// heap.
bool has_child_in_same_memory(int thread) {
  char text[4096];
  if (!read_of(thread, "children", text, sizeof text)) return false;
  for (char *at = text, *end = nullptr;; at = end) {
    const long child = strtol(at, &end, 10);
    if (end == at) return false;
    if (syscall(SYS_kcmp, getpid(), child, KCMP_VM, 0, 0) == 0 || maps_our_memory(child)) return true;
  }
}

bool any_child_in_same_memory() {
  DIR* threads = opendir("/proc/self/task");
  if (threads == nullptr) return true;
  bool found = false;
  for (const dirent* entry; !found && (entry = readdir(threads)) != nullptr;)
    found = isdigit(static_cast<unsigned char>(*entry->d_name)) != 0 && has_child_in_same_memory(atoi(entry->d_name));
  closedir(threads);
  return found;
}

}  // namespace

int own_thread() { return static_cast<int>(syscall(SYS_gettid)); }

bool is_still(const int* waiting, int n_waiting, std::uint64_t& moves) {
  moves = 0;
  if (any_handler_could_act() || has_io_uring() || any_child_in_same_memory()) return false;
  struct stat task;
  if (stat("/proc/self/task", &task) != 0) return false;
  if (static_cast<int>(task.st_nlink) == n_waiting + other_links_of_task) return true;
  return others_sleep(waiting, n_waiting, moves);
}

}  // namespace oshen::os
