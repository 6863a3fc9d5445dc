// Finds the file from which this code was loaded, and reads whole files.
#pragma once

#include <cstddef>

namespace oshen::os {

// Writes the path of the file that holds the library: the shared library, or the executable into which it was linked.
// False if the path is unknown or does not fit.
bool own_file(char* path, std::size_t capacity);

// Reads a regular file and appends a zero byte; the caller frees the memory with free(). Null, with the reason in
// `why`, if the file cannot be read, has more than `most` bytes, or is a pipe or a device, which might block for ever.
char* read_file(const char* path, std::size_t most, const char*& why);

}  // namespace oshen::os
