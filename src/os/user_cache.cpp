#include "os/user_cache.hpp"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace oshen::os {
namespace {

constexpr std::size_t name_room = 96;

// Keeps letters, digits and dots, and replaces each run of other characters by a dash.
void make_file_name(const char* text, std::size_t length, char (&name)[name_room]) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < length && n + 1 < name_room; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (isalnum(c) || c == '.')
      name[n++] = static_cast<char>(c);
    else if (n > 0 && name[n - 1] != '-')
      name[n++] = '-';
  }
  while (n > 0 && name[n - 1] == '-') --n;
  name[n] = '\0';
}

// The beginning of a file is enough: /proc/cpuinfo, which is long on large machines, begins with the first CPU.
std::size_t read_beginning(const char* path, char* text, std::size_t most) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = read(fd, text, most);
  close(fd);
  return n > 0 ? static_cast<std::size_t>(n) : 0;
}

// The kernel's name of the CPU model; without one, the architecture.
void name_of_cpu(char (&name)[name_room]) {
  char text[2048];
  text[read_beginning("/proc/cpuinfo", text, sizeof text - 1)] = '\0';
  const char* found = strstr(text, "model name");
  const char* colon = found != nullptr ? strchr(found, ':') : nullptr;
  if (colon != nullptr) return make_file_name(colon + 1, strcspn(colon + 1, "\n"), name);
  utsname machine;
  if (uname(&machine) != 0) machine.machine[0] = '\0';
  make_file_name(machine.machine, strlen(machine.machine), name);
}

bool fits(int length, std::size_t capacity) { return length > 0 && static_cast<std::size_t>(length) < capacity; }

bool user_cache(char* path, std::size_t capacity) {
  const char* cache = secure_getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fits(snprintf(path, capacity, "%s/oshen", cache), capacity);
  const char* home = secure_getenv("HOME");
  return home != nullptr && *home == '/' && fits(snprintf(path, capacity, "%s/.cache/oshen", home), capacity);
}

bool add_name(const char* kind, char* path, std::size_t capacity) {
  char cpu[name_room];
  name_of_cpu(cpu);
  const std::size_t used = strlen(path);
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  return fits(snprintf(path + used, capacity - used, "/%s-%s-%s-%ld", kind, OSHEN_VERSION, cpu, cpus), capacity - used);
}

}  // namespace

bool user_cache_file(const char* kind, char* path, std::size_t capacity) {
  return user_cache(path, capacity) && add_name(kind, path, capacity);
}

bool user_cache_file_if_any(const char* kind, char* path, std::size_t capacity) {
  return user_cache(path, capacity) && access(path, F_OK) == 0 && add_name(kind, path, capacity);
}

}  // namespace oshen::os
