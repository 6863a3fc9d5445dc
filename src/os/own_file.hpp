// Where this code was loaded from.
#pragma once

#include <cstddef>

namespace oshen::os {

// Path of the file that holds the library: the shared library, or the executable it was linked into. False when it is
// not known or does not fit.
bool own_file(char* path, std::size_t capacity);

// The whole of a regular file and a zero byte, in memory that is given back with free(). Null, and `why` in words, when
// it cannot be read, has more than `most` bytes, or is a pipe or a device, which could keep us waiting for ever.
char* read_file(const char* path, std::size_t most, const char*& why);

}  // namespace oshen::os
