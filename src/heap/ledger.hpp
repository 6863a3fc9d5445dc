// Which blocks of the heap are in use, as they were asked for: to tell an address in a block from one behind its end.
// The allocator finds blocks by where they start and rounds their sizes; this finds them by any address.
// Kept under OSHEN_CHECK only.
#pragma once

#include <cstddef>

#include "base/status.hpp"
#include "os/mutex.hpp"

namespace oshen::heap {

class ledger {
 public:
  struct entry {
    std::size_t offset = 0;
    std::size_t bytes = 0;  // 0: there is no block

    bool holds(std::size_t from, std::size_t count) const {
      return bytes != 0 && from >= offset && from - offset < bytes && count <= bytes - (from - offset);
    }
  };

  ledger() = default;
  ledger(const ledger&) = delete;
  ledger& operator=(const ledger&) = delete;

  status open();
  void close();
  bool is_open() const { return entries_ != nullptr; }

  // The block at `offset` has `bytes` bytes from now on; 0: it was freed.
  void set(std::size_t offset, std::size_t bytes);
  // The last block that starts at or before `offset`. Any thread may ask.
  entry at_or_before(std::size_t offset) const;

 private:
  std::size_t first_after(std::size_t offset) const;

  mutable os::mutex lock_;
  entry* entries_ = nullptr;  // in the order of offsets
  std::size_t count_ = 0;
};

}  // namespace oshen::heap
