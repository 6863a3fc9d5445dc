#include "oshrun/memory_kills.hpp"

#include <fstream>
#include <string>

namespace oshrun {
namespace {

// The number after `name` in a file of lines "name number"; 0 if there is none.
long counter(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string word;
  for (long value = 0; file >> word >> value;)
    if (word == name) return value;
  return 0;
}

// The counter of a control group, from a line of /proc/self/cgroup: version 2 ("0::/path"), alone or in addition to
// version 1 ("4:memory:/path").
long counted_in(const std::string& line) {
  if (line.starts_with("0::")) {
    const std::string path = line.substr(3) + "/memory.events";
    return counter("/sys/fs/cgroup" + path, "oom_kill") + counter("/sys/fs/cgroup/unified" + path, "oom_kill");
  }
  const std::size_t found = line.find(":memory:");
  if (found == line.npos) return 0;
  return counter("/sys/fs/cgroup/memory" + line.substr(found + 8) + "/memory.oom_control", "oom_kill");
}

}  // namespace

memory_kills count_memory_kills() {
  memory_kills out;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) out.in_group += counted_in(line);
  out.on_machine = counter("/proc/vmstat", "oom_kill");
  return out;
}

}  // namespace oshrun
