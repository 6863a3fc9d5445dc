// The blocks of teams on this PE, in the part of the symmetric heap behind the memory of shmem_malloc. PEs have
// different blocks there, so the members of a team search for a range that is free on all (allocation/team_memory.cpp).
//
// Like the allocator it keeps its data in private memory and does not touch the heap. Threads may call it at the same
// time for different teams.
#pragma once

#include <cstddef>

#include "base/status.hpp"
#include "os/memory.hpp"
#include "os/mutex.hpp"

namespace oshen::heap {

class team_blocks {
 public:
  struct block {
    std::size_t offset = 0;  // in the heap
    std::size_t bytes = 0;   // rounded up; 0: there is no block
    const void* owner = nullptr;
  };
  struct usage {
    std::size_t bytes = 0;
    std::size_t used = 0;
    std::size_t blocks = 0;
  };
  // `high_water`: offsets from there on had never been reserved.
  struct reservation {
    std::size_t offset;
    std::size_t high_water;
  };

  team_blocks() = default;
  team_blocks(const team_blocks&) = delete;
  team_blocks& operator=(const team_blocks&) = delete;

  // Blocks will lie in `bytes` bytes from offset `first` on.
  status open(std::size_t first, std::size_t bytes);
  void close();

  // Reserves the lowest free range from `from` on for `owner`. The offset is `nowhere` if there is none.
  reservation reserve(std::size_t from, std::size_t bytes, std::size_t alignment, const void* owner);
  // Releases the block in use that starts at `offset`.
  void release(std::size_t offset);
  // The block in use that starts at `offset`.
  block find(std::size_t offset) const;
  // A block of this owner; one of 0 bytes if it has none.
  block any_of(const void* owner) const;

  usage report() const;
  std::size_t high_water() const;

 private:
  std::size_t first_from(std::size_t offset) const;

  mutable os::mutex lock_;
  os::growing_table table_;
  block* blocks_ = nullptr;  // sorted by offset
  std::size_t count_ = 0;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
  std::size_t used_ = 0;
  std::size_t high_water_ = 0;
};

}  // namespace oshen::heap
