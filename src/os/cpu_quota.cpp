#include "os/cpu_quota.hpp"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cstddef>

namespace oshen::os {
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

// CPUs of one group: "quota period" in version 2 ("max 100000" is none), two files in version 1 (-1 is none). 0: none.
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

// Tells groups apart, also from inside different control group namespaces, in which all may be called "/".
std::uint64_t identity_of(const char* folder) {
  struct stat about;
  return stat(folder, &about) == 0 ? static_cast<std::uint64_t>(about.st_ino) : 1;
}

// The group `path` below `root` and all groups above it: each may have a quota.
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

// Is `cpu` one of the controllers of a line "4:cpu,cpuacct:/path"?
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
      snprintf(mount, sizeof mount, "%s/cpu", root);  // also a link to where it is mounted with others
      look_upwards(mount, path, false, tightest);
    }
  }
  fclose(file);
  return tightest;
}

cpu_quota own_cpu_quota() { return cpu_quota_in("/proc/self/cgroup", "/sys/fs/cgroup"); }

}  // namespace oshen::os
