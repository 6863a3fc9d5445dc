// Files that keep measurements of a machine for a user's later programs.
#pragma once

#include <cstddef>

namespace oshen::os {

// Writes the path of the user's file `kind` for this machine and release: KIND-RELEASE-MODEL-CPUS in
// $XDG_CACHE_HOME/oshen or ~/.cache/oshen. False if the user has no home, or the path does not fit.
bool user_cache_file(const char* kind, char* path, std::size_t capacity);

// The same, but false if the folder does not exist. Without stored measurements it costs one system call only.
bool user_cache_file_if_any(const char* kind, char* path, std::size_t capacity);

}  // namespace oshen::os
