#include "sites.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include "calls.h"
#include "detector.hpp"

namespace races {
namespace {

constexpr std::uint32_t most_probes = 256;

struct remembered {
  const void* caller = nullptr;
  std::uint32_t routine = 0, site = 0;
};
thread_local std::array<remembered, 1024> last_used __attribute__((tls_model("initial-exec")));

std::string path_of(const char* name) {
  if (name != nullptr && name[0] != '\0') return name;
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : "";
}

// The number of a module in the shared table. The caller holds the lock of sites.
std::uint32_t module_of(region_header& shared, const std::string& path) {
  const std::uint32_t n = shared.n_modules;
  for (std::uint32_t i = 0; i < n; ++i)
    if (path == shared.modules[i].path) return i;
  if (n == region_header::most_modules) return n - 1;
  std::snprintf(shared.modules[n].path, sizeof shared.modules[n].path, "%s", path.c_str());
  shared.n_modules = n + 1;
  return n;
}

// Finds or adds a site. 0 stands for all that have no room in the table.
std::uint32_t look_up(region_header& shared, std::uint32_t routine, const void* caller) {
  Dl_info info{};
  void* extra = nullptr;
  if (dladdr1(caller, &info, &extra, RTLD_DL_LINKMAP) == 0 || extra == nullptr) return 0;
  const auto* map = static_cast<const link_map*>(extra);
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(caller) - map->l_addr;
  const std::scoped_lock lock(shared.sites_lock);
  const std::uint32_t module = module_of(shared, path_of(map->l_name));
  const std::uint64_t hash = (offset * 64 + module) * 0x9e3779b97f4a7c15u + routine * 0xc2b2ae3d27d4eb4fu;
  for (std::uint32_t probe = 0; probe < most_probes; ++probe) {
    const auto i = 1 + static_cast<std::uint32_t>((hash >> 32) + probe) % (region_header::most_sites - 1);
    site& s = shared.sites[i];
    if (s.offset == 0) {
      s.module = module;
      s.routine = routine;
      s.offset = offset;
    }
    if (s.offset == offset && s.module == module && s.routine == routine) return i;
  }
  of_this_pe.shared().set_full(limits::sites);
  return 0;
}

// Inline functions of headers, such as the generic functions of C++. The program called them in a frame around.
bool is_in_library(const std::string& file_line) {
  const std::string file = file_line.substr(file_line.rfind('/') + 1);
  return file_line.starts_with("/usr/include/") || file_line.starts_with("/usr/lib/") || file.starts_with("shmem.h:") ||
         file.starts_with("shmemx.h:");
}

// Two lines of `addr2line -f -i`: the function, then file:line. They are those of the innermost frame of the program,
// or of the innermost one.
std::array<std::string, 2> addr2line(const std::string& path, std::uint64_t offset) {
  std::array<std::string, 2> lines;
  std::string quoted;
  for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  char command[PATH_MAX + 128];
  std::snprintf(command, sizeof command, "LD_PRELOAD= addr2line -f -i -C -e '%s' 0x%llx 2>/dev/null", quoted.c_str(),
                static_cast<unsigned long long>(offset - 1));
  const std::unique_ptr<FILE, int (*)(FILE*)> out(popen(command, "r"), pclose);
  if (out == nullptr) return lines;
  char line[4096];
  const auto read = [&](std::string& into) {
    if (std::fgets(line, sizeof line, out.get()) == nullptr) return false;
    into.assign(line, std::strcspn(line, "\n"));
    return true;
  };
  bool found = false;
  for (std::array<std::string, 2> frame; read(frame[0]) && read(frame[1]);) {
    if (!found && (lines[1].empty() || !is_in_library(frame[1]))) lines = frame;
    found = found || !is_in_library(frame[1]);
  }
  return lines;
}

}  // namespace

std::uint32_t site_of(std::uint32_t routine, const void* caller, std::size_t bytes) {
  region_header& shared = of_this_pe.shared().fixed();
  remembered& r = last_used[(reinterpret_cast<std::uintptr_t>(caller) ^ routine) % last_used.size()];
  if (r.caller != caller || r.routine != routine) r = {caller, routine, look_up(shared, routine, caller)};
  if (shared.sites[r.site].bytes.load(std::memory_order_relaxed) != bytes)
    shared.sites[r.site].bytes.store(bytes, std::memory_order_relaxed);
  return r.site;
}

std::string source_place::text() const {
  if (file.empty()) return function.empty() ? "an unknown place" : function;
  const std::string at = file + ":" + std::to_string(line);
  return function.empty() ? at : at + " (" + function + ")";
}

source_place place_of(const site& s) {
  source_place place;
  if (s.offset == 0) return place;
  const std::string path = of_this_pe.shared().fixed().modules[s.module].path;
  const auto [function, file_line] = addr2line(path, s.offset);
  if (!function.empty() && function[0] != '?') place.function = source_name(function);
  const std::size_t colon = file_line.rfind(':');
  if (colon != std::string::npos && file_line[0] != '?') {
    const std::size_t slash = file_line.rfind('/', colon);
    place.file = file_line.substr(slash == std::string::npos ? 0 : slash + 1, colon - (slash + 1));
    place.line = std::atoi(file_line.c_str() + colon + 1);
    return place;
  }
  const std::size_t slash = path.rfind('/');
  char text[64];
  std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(s.offset));
  place.function = path.substr(slash + 1) + text + (place.function.empty() ? "" : " (" + place.function + ")");
  return place;
}

std::string routine_of(const site& s) {
  static constexpr std::array<const char*, a_library_call> plain{"load", "store", "memcpy from", "memcpy to", "memset"};
  if (s.routine < a_library_call) return plain[s.routine];
  return s.routine < first_routine ? library_calls[s.routine - a_library_call]
                                   : races_routines[s.routine - first_routine];
}

}  // namespace races
