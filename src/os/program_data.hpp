// The writable data of the executable (.data and .bss): which bytes, and how to move them.
#pragma once

#include <cstddef>

namespace oshen::os {

struct byte_range {
  char* start = nullptr;
  std::size_t bytes = 0;
};

// The whole pages that hold the executable's global and static variables: its writable PT_LOAD segments without the
// part that the loader made read-only (RELRO). Usually one; lld and mold make several, and where pages of 64 KiB are
// foreseen there are holes between them, in which nothing may be mapped. Empty for a program without any.
struct program_parts {
  static constexpr int most = 8;
  byte_range parts[most];  // ascending, apart from each other
  int n = 0;

  byte_range whole() const;  // from the first byte to the last, holes included
};
program_parts program_data();

// Whole pages, bytes that no variable owns included, onto fresh ones: pages of zeros are left as they are.
void copy_pages(void* to, const void* from, std::size_t bytes);

// Puts `bytes` of `fd` at `offset` in the place of the memory at `start`, shared. The contents of the
// file must already be those of the memory.
bool replace_by_shared(byte_range range, int fd, std::size_t offset);

// The same memory, private again, while other threads go on writing it: nothing is lost. The pages of the file may be
// given back afterwards; the file itself lives as long as the memory.
bool take_back(byte_range range, int fd, std::size_t offset);

// A private copy of its present contents, while other processes go on writing the file; for the only thread of one.
bool replace_by_private(byte_range range, int fd, std::size_t offset);

}  // namespace oshen::os
