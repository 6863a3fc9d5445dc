// Where this code was loaded from.
#pragma once

#include <cstddef>

namespace oshen::os {

// Path of the file that holds the library: the shared library, or the executable it was linked into. False when it is
// not known or does not fit.
bool own_file(char* path, std::size_t capacity);

// The whole of a text file and a zero byte, in memory that is given back with free(). Null with errno when it cannot be
// read or has more than `most` bytes.
char* read_file(const char* path, std::size_t most);

}  // namespace oshen::os
