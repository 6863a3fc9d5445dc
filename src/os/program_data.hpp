// The writable data of the executable (.data and .bss): where it lies, and how to move it into shared memory and back.
#pragma once

#include <cstddef>

namespace oshen::os {

struct memory_range {
  char* start = nullptr;
  std::size_t bytes = 0;
};

// The pages that hold the executable's global and static variables: its writable PT_LOAD segments without the part that
// the loader made read-only (RELRO). Most linkers make one part. lld and mold make several; if they align segments to
// 64 KiB, unmapped holes lie between the parts. A program without variables has none.
struct program_parts {
  static constexpr int most = 8;
  memory_range parts[most];  // in ascending order, disjoint
  int n = 0;

  memory_range whole() const;  // from the first byte to the last, holes included
};
program_parts program_data();

// Copies whole pages to pages that are zero, including bytes between variables. Pages of zeros are skipped.
void copy_pages(void* to, const void* from, std::size_t bytes);

// Replaces the memory of `range` by a shared mapping of `fd` at `offset`. The file must already have the contents of
// the memory.
bool replace_by_shared(memory_range range, int fd, std::size_t offset);

// Makes the memory private again. Other threads may write to it meanwhile, and no store is lost. The pages of the file
// may be freed afterwards; the file itself lives as long as the memory.
bool take_back(memory_range range, int fd, std::size_t offset);

// Replaces the memory by a private copy of its present contents. Other processes may write to the file meanwhile; this
// process must have one thread only.
bool replace_by_private(memory_range range, int fd, std::size_t offset);

}  // namespace oshen::os
