#include "os/identity.hpp"

#include <sched.h>
#include <string.h>
#include <sys/stat.h>

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

}  // namespace oshen::os
