// The allocator of the symmetric heap: two-level segregated fit (TLSF) on offsets.
//
// It is deterministic: the same calls return the same offsets on every PE, which makes the heap symmetric. Each call
// takes O(1). Its data is in private memory, so that an overrun of a user's array cannot corrupt it, and it never
// touches the pages of the heap. It is not thread-safe: heap routines are collective, so one thread at a time calls
// them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "os/memory.hpp"

namespace oshen::heap {

inline constexpr std::size_t grain = 64;          // every block starts on a cache line
inline constexpr std::size_t nowhere = SIZE_MAX;  // "no block"

struct usage {
  std::size_t bytes = 0;         // size of the heap
  std::size_t used = 0;          // bytes in allocated blocks, rounded up
  std::size_t largest_free = 0;  // the largest size that a call can get
  std::size_t high_water = 0;    // offsets from here on were never allocated: their pages are zero
  std::size_t allocations = 0;   // blocks in use
};

class allocator {
 public:
  allocator() = default;
  allocator(const allocator&) = delete;
  allocator& operator=(const allocator&) = delete;

  // Blocks will lie in `heap_bytes` bytes from offset `first` on, a multiple of `heap::alignment`.
  status open(std::size_t heap_bytes, std::size_t first = 0);
  void close();

  // The offset of a new block, or `nowhere`. `alignment` is a power of two.
  std::size_t allocate(std::size_t bytes, std::size_t alignment = grain);
  // False if no block in use starts at `offset`.
  bool free(std::size_t offset);
  // Grows or shrinks in place; false if that is not possible.
  bool resize(std::size_t offset, std::size_t bytes);
  // The size of the block in use that starts at `offset`; 0 if there is none.
  std::size_t size_of(std::size_t offset) const;

  usage report() const;
  std::size_t used() const { return used_; }
  std::size_t high_water() const { return high_water_; }

 private:
  using index = std::uint32_t;
  static constexpr index none = 0;    // block 0 is never used
  static constexpr int rows = 48;     // powers of two of the size in grains
  static constexpr int columns = 16;  // linear steps within a power of two

  struct block {
    std::size_t offset;
    std::size_t bytes;
    index lower, upper;    // neighbours in the heap
    index previous, next;  // in its free list; `next` also links unused descriptors
    index chain;           // for blocks in use: the next one in the hash bucket
    bool in_use;
  };
  struct bin {
    int row, column;
  };

  static bin bin_of(std::size_t bytes);
  index new_descriptor();
  void drop_descriptor(index b);
  void put_free(index b);
  void take_free(index b);
  index find_free(std::size_t bytes);
  void split(index b, std::size_t bytes);
  void merge_with_next(index b);
  index* bucket(std::size_t offset) const;
  index find_used(std::size_t offset) const;
  void remember(index b);
  void forget(index b);

  block* blocks_ = nullptr;   // reserved memory, touched as descriptors are needed
  index* buckets_ = nullptr;  // hash of the offsets of the blocks in use
  os::growing_table table_;   // of the blocks
  std::size_t max_blocks_ = 0;
  std::size_t bucket_mask_ = 0;
  index fresh_ = 1;      // the first descriptor that was never used
  index unused_ = none;  // list of returned descriptors
  std::uint64_t row_map_ = 0;
  std::uint32_t column_map_[rows] = {};
  index free_[rows][columns] = {};
  std::size_t heap_bytes_ = 0;
  std::size_t used_ = 0;
  std::size_t high_water_ = 0;
  std::size_t allocations_ = 0;
};

}  // namespace oshen::heap
