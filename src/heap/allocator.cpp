#include "heap/allocator.hpp"

#include <errno.h>
#include <string.h>

#include <bit>

#include "base/bits.hpp"
#include "base/log.hpp"
#include "os/process.hpp"

namespace oshen::heap {
namespace {

constexpr std::size_t most_blocks = std::size_t{1} << 24;  // the largest number of reserved descriptors
constexpr std::size_t bucket_count = std::size_t{1} << 16;

}  // namespace

status allocator::open(std::size_t heap_bytes, std::size_t first) {
  heap_bytes_ = round_down(heap_bytes, grain);
  high_water_ = first;
  max_blocks_ = heap_bytes_ / grain + 3;
  if (max_blocks_ > most_blocks) max_blocks_ = most_blocks;
  bucket_mask_ = bucket_count - 1;
  buckets_ = static_cast<index*>(os::reserve(bucket_count * sizeof(index)));
  if (buckets_ == nullptr || !table_.open(max_blocks_ * sizeof(block)) || !table_.reach(2 * sizeof(block)))
    return status::no_memory;
  blocks_ = static_cast<block*>(table_.start());
  if (heap_bytes_ == 0) return status::ok;
  const index all = new_descriptor();
  blocks_[all] = {.offset = first,
                  .bytes = heap_bytes_,
                  .lower = none,
                  .upper = none,
                  .previous = none,
                  .next = none,
                  .chain = none,
                  .in_use = false};
  put_free(all);
  return status::ok;
}

void allocator::close() {
  table_.close();
  if (buckets_ != nullptr) os::release(buckets_, bucket_count * sizeof(index));
  blocks_ = nullptr;
  buckets_ = nullptr;
}

// The row is the power of two of the size in grains, the column the next four bits.
allocator::bin allocator::bin_of(std::size_t bytes) {
  const std::size_t grains = bytes / grain;
  if (grains < columns) return {0, static_cast<int>(grains)};
  const int top = static_cast<int>(std::bit_width(grains)) - 1;
  return {top - 3, static_cast<int>((grains >> (top - 4)) & (columns - 1))};
}

allocator::index allocator::new_descriptor() {
  if (unused_ != none) {
    const index b = unused_;
    unused_ = blocks_[b].next;
    return b;
  }
  if (fresh_ == max_blocks_) return none;
  // With one descriptor fewer than other PEs, this PE would place blocks elsewhere.
  if (!table_.reach((fresh_ + 1) * sizeof(block))) {
    log::error(
        "cannot get memory for a list of %zu heap blocks: %s; end other programs, or raise the limit (ulimit -d, "
        "vm.overcommit_ratio)",
        allocations_, strerror(errno));
    os::leave_at_once(1);
  }
  return fresh_++;
}

void allocator::drop_descriptor(index b) {
  blocks_[b].next = unused_;
  unused_ = b;
}

void allocator::put_free(index b) {
  const bin at = bin_of(blocks_[b].bytes);
  index& head = free_[at.row][at.column];
  blocks_[b].in_use = false;
  blocks_[b].previous = none;
  blocks_[b].next = head;
  if (head != none) blocks_[head].previous = b;
  head = b;
  row_map_ |= std::uint64_t{1} << at.row;
  column_map_[at.row] |= 1u << at.column;
}

void allocator::take_free(index b) {
  const bin at = bin_of(blocks_[b].bytes);
  const index previous = blocks_[b].previous, next = blocks_[b].next;
  if (next != none) blocks_[next].previous = previous;
  if (previous != none) {
    blocks_[previous].next = next;
    return;
  }
  free_[at.row][at.column] = next;
  if (next != none) return;
  column_map_[at.row] &= ~(1u << at.column);
  if (column_map_[at.row] == 0) row_map_ &= ~(std::uint64_t{1} << at.row);
}

// Returns a free block of at least `bytes`. It is the head of the request's own bin, if that is large enough. Otherwise
// it is the head of the next bin that is not empty, in which every block is large enough.
allocator::index allocator::find_free(std::size_t bytes) {
  bin at = bin_of(bytes);
  const index head = free_[at.row][at.column];
  if (head != none && blocks_[head].bytes >= bytes) return head;
  std::uint32_t larger = at.column + 1 < columns ? column_map_[at.row] >> (at.column + 1) : 0;
  if (larger != 0) {
    at.column += 1 + std::countr_zero(larger);
    return free_[at.row][at.column];
  }
  const std::uint64_t above = row_map_ >> (at.row + 1);
  if (above == 0) {  // the heap is nearly full: search the request's own bin
    index b = head;
    while (b != none && blocks_[b].bytes < bytes) b = blocks_[b].next;
    return b;
  }
  at.row += 1 + std::countr_zero(above);
  return free_[at.row][std::countr_zero(column_map_[at.row])];
}

// Splits the block after `bytes`; the rest becomes free. If no descriptor is left, the block stays whole.
void allocator::split(index b, std::size_t bytes) {
  if (blocks_[b].bytes == bytes) return;
  const index rest = new_descriptor();
  if (rest == none) return;
  const index upper = blocks_[b].upper;
  blocks_[rest] = {.offset = blocks_[b].offset + bytes,
                   .bytes = blocks_[b].bytes - bytes,
                   .lower = b,
                   .upper = upper,
                   .previous = none,
                   .next = none,
                   .chain = none,
                   .in_use = false};
  if (upper != none) blocks_[upper].lower = rest;
  blocks_[b].upper = rest;
  blocks_[b].bytes = bytes;
  if (upper != none && !blocks_[upper].in_use) {
    take_free(upper);
    merge_with_next(rest);
  }
  put_free(rest);
}

// Merges `b` with its upper neighbour, which must be in no free list.
void allocator::merge_with_next(index b) {
  const index gone = blocks_[b].upper;
  blocks_[b].bytes += blocks_[gone].bytes;
  blocks_[b].upper = blocks_[gone].upper;
  if (blocks_[b].upper != none) blocks_[blocks_[b].upper].lower = b;
  drop_descriptor(gone);
}

allocator::index* allocator::bucket(std::size_t offset) const {
  const std::uint64_t mixed = (offset / grain) * 0x9e3779b97f4a7c15u;
  return &buckets_[(mixed >> 40) & bucket_mask_];
}

allocator::index allocator::find_used(std::size_t offset) const {
  index b = *bucket(offset);
  while (b != none && blocks_[b].offset != offset) b = blocks_[b].chain;
  return b;
}

void allocator::remember(index b) {
  index* head = bucket(blocks_[b].offset);
  blocks_[b].in_use = true;
  blocks_[b].chain = *head;
  *head = b;
}

void allocator::forget(index b) {
  index* link = bucket(blocks_[b].offset);
  while (*link != b) link = &blocks_[*link].chain;
  *link = blocks_[b].chain;
}

std::size_t allocator::allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0 || bytes > heap_bytes_ || alignment > heap_bytes_) return nowhere;
  bytes = round_up(bytes, grain);
  const std::size_t slack = alignment > grain ? alignment - grain : 0;
  index b = find_free(bytes + slack);
  if (b == none) return nowhere;
  take_free(b);
  const std::size_t lead = round_up(blocks_[b].offset, alignment) - blocks_[b].offset;
  if (alignment > grain && lead != 0) {
    split(b, lead);  // leaves the aligned part as the free neighbour
    const index aligned = blocks_[b].upper;
    if (blocks_[b].bytes != lead) {  // out of descriptors
      put_free(b);
      return nowhere;
    }
    take_free(aligned);
    put_free(b);
    b = aligned;
  }
  split(b, bytes);
  remember(b);
  used_ += blocks_[b].bytes;
  ++allocations_;
  const std::size_t end = blocks_[b].offset + blocks_[b].bytes;
  if (end > high_water_) high_water_ = end;
  return blocks_[b].offset;
}

bool allocator::free(std::size_t offset) {
  index b = find_used(offset);
  if (b == none) return false;
  forget(b);
  used_ -= blocks_[b].bytes;
  --allocations_;
  const index upper = blocks_[b].upper, lower = blocks_[b].lower;
  if (upper != none && !blocks_[upper].in_use) {
    take_free(upper);
    merge_with_next(b);
  }
  if (lower != none && !blocks_[lower].in_use) {
    take_free(lower);
    merge_with_next(lower);
    b = lower;
  }
  put_free(b);
  return true;
}

bool allocator::resize(std::size_t offset, std::size_t bytes) {
  const index b = find_used(offset);
  if (b == none || bytes == 0 || bytes > heap_bytes_) return false;
  bytes = round_up(bytes, grain);
  const std::size_t had = blocks_[b].bytes;
  const index upper = blocks_[b].upper;
  if (bytes > had) {
    if (upper == none || blocks_[upper].in_use || had + blocks_[upper].bytes < bytes) return false;
    take_free(upper);
    merge_with_next(b);
  }
  split(b, bytes);
  used_ = used_ - had + blocks_[b].bytes;
  const std::size_t end = offset + blocks_[b].bytes;
  if (end > high_water_) high_water_ = end;
  return true;
}

std::size_t allocator::size_of(std::size_t offset) const {
  const index b = find_used(offset);
  return b == none ? 0 : blocks_[b].bytes;
}

usage allocator::report() const {
  usage now{
      .bytes = heap_bytes_, .used = used_, .largest_free = 0, .high_water = high_water_, .allocations = allocations_};
  if (row_map_ != 0) {
    const int row = static_cast<int>(std::bit_width(row_map_)) - 1;
    const int column = static_cast<int>(std::bit_width(column_map_[row])) - 1;
    for (index b = free_[row][column]; b != none; b = blocks_[b].next)
      if (blocks_[b].bytes > now.largest_free) now.largest_free = blocks_[b].bytes;
  }
  return now;
}

}  // namespace oshen::heap
