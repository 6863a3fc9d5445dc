// What a user keeps about a machine, from one program to the next.
#pragma once

#include <cstddef>

namespace oshen::os {

// Path of the user's file `kind` for this machine and release: KIND-RELEASE-MODEL-CPUS under $XDG_CACHE_HOME/oshen, or
// ~/.cache/oshen. False where the user has no such place, or the path does not fit.
bool user_cache_file(const char* kind, char* path, std::size_t capacity);

// The same, if the folder exists: until somebody has kept something this costs one system call.
bool user_cache_file_if_any(const char* kind, char* path, std::size_t capacity);

}  // namespace oshen::os
