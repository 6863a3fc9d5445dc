#include "os/memory.hpp"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>

namespace oshen::os {
namespace {

constexpr std::size_t unlimited = SIZE_MAX;

// The first number in a one-line file; `unlimited` when the file is missing or says "max".
std::size_t number_in(const char* path) {
  FILE* file = fopen(path, "re");
  if (file == nullptr) return unlimited;
  unsigned long long value = 0;
  const bool found = fscanf(file, "%llu", &value) == 1;
  fclose(file);
  return found ? static_cast<std::size_t>(value) : unlimited;
}

std::size_t limit_of(decltype(RLIMIT_AS) kind) {
  rlimit limit;
  if (getrlimit(kind, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  return static_cast<std::size_t>(limit.rlim_cur);
}

struct control_group {
  std::size_t limit = unlimited;
  std::size_t used = 0;
};

control_group read_group(const char* folder, const char* limit, const char* used) {
  char path[640];
  control_group group;
  snprintf(path, sizeof path, "%s/%s", folder, limit);
  group.limit = number_in(path);
  snprintf(path, sizeof path, "%s/%s", folder, used);
  const std::size_t current = number_in(path);
  group.used = current == unlimited ? 0 : current;
  return group;
}

// The memory control group of this process, version 2 ("0::/path") or 1 ("4:memory:/path").
control_group own_group() {
  control_group tightest;
  FILE* file = fopen("/proc/self/cgroup", "re");
  if (file == nullptr) return tightest;
  char line[512];
  while (fgets(line, sizeof line, file) != nullptr) {
    line[strcspn(line, "\n")] = '\0';
    char folder[600];
    control_group group;
    if (strncmp(line, "0::", 3) == 0) {
      snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", line + 3);
      group = read_group(folder, "memory.max", "memory.current");
    } else if (const char* path = strstr(line, ":memory:")) {
      snprintf(folder, sizeof folder, "/sys/fs/cgroup/memory%s", path + strlen(":memory:"));
      group = read_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes");
    }
    if (group.limit < tightest.limit) tightest = group;
  }
  fclose(file);
  return tightest;
}

std::size_t kernel_available() {
  FILE* file = fopen("/proc/meminfo", "re");
  if (file == nullptr) return unlimited;
  char line[128];
  unsigned long long kilobytes = 0;
  bool found = false;
  while (!found && fgets(line, sizeof line, file) != nullptr)
    found = sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1;
  fclose(file);
  return found ? static_cast<std::size_t>(kilobytes) * 1024 : unlimited;
}

}  // namespace

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

int create_shared(const char* label) { return memfd_create(label, MFD_CLOEXEC); }

// RLIMIT_FSIZE counts for memfds too. Crossing it is a signal, so it is not tried.
bool resize_shared(int fd, std::size_t bytes) {
  if (bytes <= limit_of(RLIMIT_FSIZE)) return ftruncate(fd, static_cast<off_t>(bytes)) == 0;
  errno = EFBIG;
  return false;
}

void* map_shared(int fd, std::size_t bytes) {
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  return start == MAP_FAILED ? nullptr : start;
}

void empty_pages(void* start, std::size_t bytes) {
  if (madvise(start, bytes, MADV_REMOVE) != 0) memset(start, 0, bytes);
}

void* reserve(std::size_t bytes) {
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : start;
}

void release(void* start, std::size_t bytes) { munmap(start, bytes); }

std::size_t available_memory() {
  const control_group group = own_group();
  const std::size_t room =
      group.limit == unlimited ? unlimited : group.limit > group.used ? group.limit - group.used : 0;
  const std::size_t kernel = kernel_available();
  return room < kernel ? room : kernel;
}

std::size_t total_memory() {
  struct sysinfo info;
  const std::size_t node = sysinfo(&info) == 0 ? info.totalram * info.mem_unit : std::size_t{1} << 30;
  const std::size_t group = own_group().limit;
  return group < node ? group : node;
}

std::size_t address_space_left() {
  const std::size_t limit = limit_of(RLIMIT_AS), largest_file = limit_of(RLIMIT_FSIZE);
  if (limit == unlimited) return largest_file;
  const std::size_t pages = number_in("/proc/self/statm");
  const std::size_t used = pages == unlimited ? 0 : pages * page_bytes();
  return std::min(limit > used ? limit - used : 0, largest_file);
}

}  // namespace oshen::os
