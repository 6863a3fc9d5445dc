#include "oshrun/orphans.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "oshrun/proc.hpp"

namespace oshrun {
namespace {

namespace fs = std::filesystem;

// Calls `visit` with the path of each entry that can be read.
void each_entry(const char* folder, auto&& visit) {
  std::error_code error;
  for (fs::directory_iterator one(folder, error), end; !error && one != end; one.increment(error)) visit(one->path());
}

// Needs CONFIG_PROC_CHILDREN, which nearly every kernel has. An orphan may become a child of any thread.
bool children_by_thread(std::vector<pid_t>& out) {
  bool readable = false;
  each_entry("/proc/self/task", [&](const fs::path& thread) {
    std::ifstream list(thread / "children");
    readable = readable || list.good();
    for (pid_t pid; list >> pid;) out.push_back(pid);
  });
  return readable;
}

void children_by_search(std::vector<pid_t>& out) {
  const pid_t self = getpid();
  each_entry("/proc", [&](const fs::path& entry) {
    const std::string name = entry.filename();
    if (std::isdigit(static_cast<unsigned char>(name.front())) == 0) return;
    const pid_t pid = static_cast<pid_t>(std::atoi(name.c_str()));
    if (read_process(pid).parent == self) out.push_back(pid);
  });
}

std::vector<pid_t> own_children() {
  std::vector<pid_t> out;
  if (!children_by_thread(out)) children_by_search(out);
  return out;
}

bool none_left() {
  pid_t pid = 0;
  do {
    pid = waitpid(-1, nullptr, WNOHANG);
  } while (pid > 0);
  return pid < 0 && errno == ECHILD;
}

}  // namespace

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

bool end_descendants() {
  constexpr int step_us = 500, limit_us = 2'000'000;
  for (int waited = 0; !none_left(); waited += step_us) {
    if (waited >= limit_us) return false;
    for (const pid_t pid : own_children()) kill(pid, SIGKILL);
    usleep(step_us);
  }
  return true;
}

}  // namespace oshrun
