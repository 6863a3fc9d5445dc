// The heap blocks in use, with their requested sizes, to detect accesses behind the end of a block. The allocator finds
// a block by its first byte and rounds its size; this index finds a block by any address in it. It is kept under
// OSHEN_CHECK only.
#pragma once

#include <cstddef>

#include "base/status.hpp"
#include "os/memory.hpp"
#include "os/mutex.hpp"

namespace oshen::heap {

class block_index {
 public:
  struct entry {
    std::size_t offset = 0;
    std::size_t bytes = 0;  // 0: there is no block

    bool holds(std::size_t from, std::size_t count) const {
      return bytes != 0 && from >= offset && from - offset < bytes && count <= bytes - (from - offset);
    }
  };

  block_index() = default;
  block_index(const block_index&) = delete;
  block_index& operator=(const block_index&) = delete;

  status open();
  void close();
  bool is_open() const { return entries_ != nullptr; }

  // Records the block at `offset` with `bytes` bytes; 0 bytes: it was freed.
  void set(std::size_t offset, std::size_t bytes);
  // The last block that starts at or before `offset`. Any thread may call it.
  entry at_or_before(std::size_t offset) const;

 private:
  std::size_t first_after(std::size_t offset) const;

  mutable os::mutex lock_;
  os::growing_table table_;
  entry* entries_ = nullptr;  // sorted by offset
  std::size_t count_ = 0;
};

}  // namespace oshen::heap
