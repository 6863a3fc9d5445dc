// The writable data of the executable (.data and .bss): which bytes, and how to move them.
#pragma once

#include <cstddef>

namespace oshen::os {

struct byte_range {
  char* start = nullptr;
  std::size_t bytes = 0;
};

// The whole pages that hold the executable's global and static variables: its writable PT_LOAD segment
// without the part that the loader made read-only (RELRO). Empty for a program without any.
byte_range program_data();

// Whole pages, bytes that no variable owns included, onto fresh ones: pages of zeros are left as they are.
void copy_pages(void* to, const void* from, std::size_t bytes);

// Puts `bytes` of `fd` at `offset` in the place of the memory at `start`, shared. The contents of the
// file must already be those of the memory.
bool replace_by_shared(byte_range range, int fd, std::size_t offset);

// The reverse: the same contents in private memory again, in one step, so that no other thread ever
// finds a hole.
bool replace_by_private(byte_range range, int fd, std::size_t offset);

}  // namespace oshen::os
