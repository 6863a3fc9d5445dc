#include "os/numa.hpp"

#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace oshen::os {

int own_numa_node() {
  cpu_set_t set;
  unsigned here = 0;
  // Older C libraries, such as that of the wheels (glibc 2.28), have no getcpu().
  if (sched_getaffinity(0, sizeof set, &set) != 0 || syscall(SYS_getcpu, nullptr, &here, nullptr) != 0) return -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    char path[64];
    snprintf(path, sizeof path, "/sys/devices/system/node/node%u/cpu%d", here, cpu);
    if (CPU_ISSET(cpu, &set) && access(path, F_OK) != 0) return -1;
  }
  return static_cast<int>(here);
}

int numa_node_of_device(const char* pci_address) {
  char path[96];
  snprintf(path, sizeof path, "/sys/bus/pci/devices/%.32s/numa_node", pci_address);
  FILE* file = fopen(path, "re");
  int node = -1;
  if (file != nullptr) {
    if (fscanf(file, "%d", &node) != 1) node = -1;
    fclose(file);
  }
  return node;
}

}  // namespace oshen::os
