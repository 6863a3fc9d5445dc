#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "base/bits.hpp"
#include "os/futex.hpp"
#include "os/memory.hpp"
#include "os/placement.hpp"
#include "oshinfo/sections.hpp"
#include "shared/cpus.hpp"

namespace oshinfo {
namespace {

std::string kernel() {
  utsname name;
  uname(&name);
  return std::string(name.sysname) + ' ' + name.release + ' ' + name.machine;
}

std::string model_of_cpu() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
  return "unknown";
}

int numa_nodes() {
  int nodes = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", none)) {
    const std::string name = entry.path().filename();
    nodes += name.starts_with("node") && name.find_first_not_of("0123456789", 4) == name.npos;
  }
  return nodes > 0 ? nodes : 1;
}

json cpus() {
  const oshrun::cpu_mask usable = oshrun::usable_cpus();
  return {
      {"model", model_of_cpu()},      {"online", sysconf(_SC_NPROCESSORS_ONLN)},         {"usable", usable.count()},
      {"usable_list", usable.text()}, {"usable_cores", oshrun::cores_of(usable).size()}, {"numa_nodes", numa_nodes()}};
}

std::size_t installed_memory() {
  struct sysinfo info;
  return sysinfo(&info) == 0 ? info.totalram * info.mem_unit : 0;
}

// Whether the kernel backs shared memory by pages of 2 MiB on request.
bool makes_huge_pages() {
  constexpr std::size_t bytes = oshen::os::huge_page_bytes;
  void* const room = oshen::os::reserve(2 * bytes);
  const int fd = oshen::os::create_shared("oshinfo");
  char* const start = reinterpret_cast<char*>(oshen::round_up(reinterpret_cast<std::uintptr_t>(room), bytes));
  bool made = false;
  if (room != nullptr && fd >= 0 && oshen::os::resize_shared(fd, bytes) &&
      mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == start) {
    oshen::os::use_huge_pages(start, bytes);
    made = oshen::os::bytes_in_huge_pages(start, bytes) == bytes;
  }
  if (room != nullptr) oshen::os::release(room, 2 * bytes);
  if (fd >= 0) close(fd);
  return made;
}

// `limit` is that of the control group; null unless it is less than the installed memory.
json memory() {
  const std::size_t installed = installed_memory(), total = oshen::os::total_memory();
  return {{"installed", installed},
          {"limit", total < installed ? json(total) : json(nullptr)},
          {"available", oshen::os::available_memory()},
          {"page", oshen::os::page_bytes()},
          {"huge_pages", makes_huge_pages()}};
}

bool has_memfd() {
  const int fd = oshen::os::create_shared("oshinfo");
  if (fd >= 0) close(fd);
  return fd >= 0;
}

}  // namespace

json machine() {
  return {{"kernel", kernel()},
          {"cpus", cpus()},
          {"memory", memory()},
          {"features", {{"memfd", has_memfd()}, {"membarrier", oshen::os::register_remote_barrier()}}}};
}

}  // namespace oshinfo
