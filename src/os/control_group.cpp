#include "os/control_group.hpp"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>

namespace oshen::os {
namespace {

constexpr std::size_t none = SIZE_MAX;

// The files of a group in each version.
struct version {
  const char* limit;
  const char* used;
  const char* cache[2];  // lines of memory.stat: pages of files, which the kernel takes back when it needs them
};
constexpr version first{"memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
constexpr version second{"memory.max", "memory.current", {"inactive_file", "active_file"}};

FILE* open_in(const char* folder, const char* name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return fopen(path, "re");
}

// The number in a file of one line; `none` when the file is missing or says "max".
std::size_t number_in(const char* folder, const char* name) {
  FILE* file = open_in(folder, name);
  if (file == nullptr) return none;
  unsigned long long value = 0;
  const bool found = fscanf(file, "%llu", &value) == 1;
  fclose(file);
  return found ? static_cast<std::size_t>(value) : none;
}

std::size_t cached_in(const char* folder, const version& v) {
  FILE* file = open_in(folder, "memory.stat");
  if (file == nullptr) return 0;
  std::size_t cached = 0;
  char line[128], name[64];
  while (fgets(line, sizeof line, file) != nullptr) {
    unsigned long long value = 0;
    if (sscanf(line, "%63s %llu", name, &value) != 2) continue;
    if (strcmp(name, v.cache[0]) == 0 || strcmp(name, v.cache[1]) == 0) cached += static_cast<std::size_t>(value);
  }
  fclose(file);
  return cached;
}

void tighten(memory_limits& so_far, const char* folder, const version& v) {
  const std::size_t limit = number_in(folder, v.limit);
  if (limit == none) return;
  so_far.limit = std::min(so_far.limit, limit);
  const std::size_t used = number_in(folder, v.used);
  if (used == none) return;
  const std::size_t cached = cached_in(folder, v);
  const std::size_t held = used > cached ? used - cached : 0;
  so_far.room = std::min(so_far.room, limit > held ? limit - held : 0);
}

// From the group up to the root of its hierarchy. A group of which only the inside is shown has a path that leads
// nowhere here: then the root that is shown is what there is.
void climb(memory_limits& so_far, const char* root, const char* path, const version& v) {
  char folder[768];
  const int top = snprintf(folder, sizeof folder, "%s", root);
  snprintf(folder + top, sizeof folder - static_cast<std::size_t>(top), "%s", path);
  for (;;) {
    tighten(so_far, folder, v);
    char* const last = strrchr(folder + top, '/');
    if (last == nullptr) return;
    *last = '\0';
  }
}

}  // namespace

memory_limits read_memory_limits(const char* list, const char* root) {
  memory_limits found;
  FILE* file = fopen(list, "re");
  if (file == nullptr) return found;
  char line[512], hierarchy[256];
  while (fgets(line, sizeof line, file) != nullptr) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "0::", 3) == 0) {
      climb(found, root, line + 3, second);
    } else if (const char* path = strstr(line, ":memory:")) {
      snprintf(hierarchy, sizeof hierarchy, "%s/memory", root);
      climb(found, hierarchy, path + strlen(":memory:"), first);
    }
  }
  fclose(file);
  return found;
}

memory_limits own_memory_limits() { return read_memory_limits("/proc/self/cgroup", "/sys/fs/cgroup"); }

}  // namespace oshen::os
