#include "os/control_group.hpp"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>

namespace oshen::os {

// ---- memory --------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t none = SIZE_MAX;

// The files of a group in one version of control groups.
struct version {
  const char* limit_file;
  const char* used_file;
  const char* cache_lines[2];  // lines of memory.stat that count cached pages of files, which the kernel can reclaim
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
    if (strcmp(name, v.cache_lines[0]) == 0 || strcmp(name, v.cache_lines[1]) == 0)
      cached += static_cast<std::size_t>(value);
  }
  fclose(file);
  return cached;
}

void tighten(memory_limits& so_far, const char* folder, const version& v) {
  const std::size_t limit = number_in(folder, v.limit_file);
  if (limit == none) return;
  so_far.limit = std::min(so_far.limit, limit);
  const std::size_t used = number_in(folder, v.used_file);
  if (used == none) return;
  const std::size_t cached = cached_in(folder, v);
  const std::size_t held = used > cached ? used - cached : 0;
  so_far.room = std::min(so_far.room, limit > held ? limit - held : 0);
}

// Visits the group and all groups above it. In a container the path of the group may not exist below `root`; then only
// the root is read.
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

// ---- CPUs ----------------------------------------------------------------------------------------------------

namespace {

// Reads the only line of a file.
bool read_line(const char* folder, const char* name, char* text, int room) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= static_cast<int>(sizeof path)) return false;
  FILE* file = fopen(path, "re");
  if (file == nullptr) return false;
  const bool found = fgets(text, room, file) != nullptr;
  fclose(file);
  return found;
}

// The quota of one group in CPUs; 0: none. Version 2 has one file, "quota period", in which "max" means none; version 1
// has two files, in which -1 means none.
double quota_of(const char* folder, bool version_2) {
  char text[64], period[64];
  if (!read_line(folder, version_2 ? "cpu.max" : "cpu.cfs_quota_us", text, sizeof text)) return 0;
  char* rest = text;
  const long long quota = strtoll(text, &rest, 10);
  if (rest == text || quota <= 0) return 0;
  if (!version_2 && !read_line(folder, "cpu.cfs_period_us", period, sizeof period)) return 0;
  const long long every = strtoll(version_2 ? rest : period, nullptr, 10);
  return every > 0 ? static_cast<double>(quota) / static_cast<double>(every) : 0;
}

// The inode tells groups apart even where every container calls its own group "/".
std::uint64_t identity_of(const char* folder) {
  struct stat about;
  return stat(folder, &about) == 0 ? static_cast<std::uint64_t>(about.st_ino) : 1;
}

// Visits the group `path` below `root` and all groups above it.
void look_upwards(const char* root, const char* path, bool version_2, cpu_quota& tightest) {
  char folder[PATH_MAX];
  if (snprintf(folder, sizeof folder, "%s%s", root, path) >= static_cast<int>(sizeof folder)) return;
  for (const std::size_t end = strlen(root); strlen(folder) >= end;) {
    const double cpus = quota_of(folder, version_2);
    if (cpus > 0 && (tightest.group == 0 || cpus < tightest.cpus)) tightest = {identity_of(folder), cpus};
    char* last = strrchr(folder, '/');
    if (last == nullptr) return;
    *last = '\0';
  }
}

// True if `cpu` is one of the controllers of a line such as "4:cpu,cpuacct:/path".
bool controls_cpu(const char* controllers) {
  for (const char* at = controllers; *at != '\0' && *at != ':';) {
    const std::size_t length = strcspn(at, ",:");
    if (length == 3 && strncmp(at, "cpu", 3) == 0) return true;
    at += length + (at[length] == ',' ? 1 : 0);
  }
  return false;
}

}  // namespace

cpu_quota cpu_quota_in(const char* cgroup_file, const char* root) {
  cpu_quota tightest;
  FILE* file = fopen(cgroup_file, "re");
  if (file == nullptr) return tightest;
  char line[PATH_MAX], mount[PATH_MAX];
  while (fgets(line, sizeof line, file) != nullptr) {
    line[strcspn(line, "\n")] = '\0';
    const char* controllers = strchr(line, ':');
    const char* path = controllers == nullptr ? nullptr : strchr(controllers + 1, ':');
    if (path == nullptr) continue;
    ++controllers, ++path;
    if (strcmp(path, "/") == 0) path = "";
    if (*controllers == ':') {
      look_upwards(root, path, true, tightest);
    } else if (controls_cpu(controllers)) {
      snprintf(mount, sizeof mount, "%s/cpu", root);  // systems link this name where controllers are mounted together
      look_upwards(mount, path, false, tightest);
    }
  }
  fclose(file);
  return tightest;
}

cpu_quota own_cpu_quota() { return cpu_quota_in("/proc/self/cgroup", "/sys/fs/cgroup"); }

}  // namespace oshen::os
