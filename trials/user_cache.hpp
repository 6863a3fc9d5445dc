// The files that keep what was learned about a machine for the user's later programs. The names are those of
// src/os/user_cache.hpp.
#pragma once

#include <shmem.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

namespace oshen::trials {

// $XDG_CACHE_HOME/oshen or ~/.cache/oshen; empty if the user has no home.
inline std::string user_cache_folder() {
  if (const char* cache = secure_getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::string(cache) + "/oshen";
  const char* home = secure_getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/oshen" : std::string();
}

// The kernel's name of the CPU model; empty if it tells none.
inline std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

// Keeps letters, digits and dots, and replaces each run of other characters by a dash.
inline std::string file_name_of(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (kept)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name;
}

// The path of the file `kind` for this machine and release; empty if there is no folder for it.
inline std::string user_cache_file(std::string_view kind, std::string_view release) {
  const std::string folder = user_cache_folder();
  if (folder.empty()) return folder;
  return folder + '/' + std::string(kind) + '-' + std::string(release) + '-' + file_name_of(cpu_model()) + '-' +
         std::to_string(sysconf(_SC_NPROCESSORS_ONLN));
}

// The release of the OpenSHMEM library, such as 0.1.0, as its name tells it.
inline std::string release_of_library() {
  char name[SHMEM_MAX_NAME_LEN] = "";
  shmem_info_get_name(name);
  const char* const space = std::strrchr(name, ' ');
  return file_name_of(space != nullptr ? space + 1 : name);
}

}  // namespace oshen::trials
