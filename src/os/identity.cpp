#include "os/identity.hpp"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace oshen::os {

void read_cpu_mask(std::uint64_t (&mask)[mask_words]) {
  static_assert(sizeof(cpu_set_t) == sizeof mask);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) CPU_SET(0, &set);
  memcpy(mask, &set, sizeof mask);
}

std::uint64_t pid_namespace() {
  struct stat name;
  return stat("/proc/self/ns/pid", &name) == 0 ? name.st_ino : 0;
}

std::uint32_t user() {
  constexpr ino_t of_machine = 0xeffffffd;  // the kernel's fixed number of the first user namespace
  struct stat name;
  return stat("/proc/self/ns/user", &name) == 0 && name.st_ino == of_machine ? geteuid() : unknown_user;
}

std::uint64_t host() {
  char text[256] = {};
  const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t got = fd < 0 ? 0 : read(fd, text, 64);
  if (fd >= 0) close(fd);
  utsname names;
  if (uname(&names) == 0) strncpy(text + (got > 0 ? got : 0), names.nodename, sizeof text - 65);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char* c = text; *c != '\0'; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3u;
  return hash | 1;
}

}  // namespace oshen::os
