#include "heap/team_blocks.hpp"

#include <string.h>

#include <algorithm>

#include "base/bits.hpp"
#include "heap/allocator.hpp"

namespace oshen::heap {
namespace {

constexpr std::size_t most_blocks = std::size_t{1} << 20;

}  // namespace

status team_blocks::open(std::size_t first, std::size_t bytes) {
  if (!table_.open(most_blocks * sizeof(block))) return status::no_memory;
  blocks_ = static_cast<block*>(table_.start());
  first_ = high_water_ = first;
  end_ = first + bytes;
  return status::ok;
}

void team_blocks::close() {
  table_.close();
  blocks_ = nullptr;
  count_ = 0;
}

// The index of the first block that starts at `offset` or behind it.
std::size_t team_blocks::first_from(std::size_t offset) const {
  const block* at = std::ranges::lower_bound(blocks_, blocks_ + count_, offset, {}, &block::offset);
  return static_cast<std::size_t>(at - blocks_);
}

team_blocks::reservation team_blocks::reserve(std::size_t from, std::size_t bytes, std::size_t alignment,
                                              const void* owner) {
  const os::locked hold(lock_);
  const reservation none{nowhere, high_water_};
  if (bytes == 0 || bytes > end_ - first_ || from > end_) return none;
  bytes = round_up(bytes, grain);
  if (alignment < grain) alignment = grain;
  std::size_t next = first_from(from), at = from < first_ ? first_ : from;
  if (next > 0) {
    const std::size_t end_of_previous = blocks_[next - 1].offset + blocks_[next - 1].bytes;
    at = at < end_of_previous ? end_of_previous : at;
  }
  for (at = round_up(at, alignment); next < count_ && at + bytes > blocks_[next].offset; ++next) {
    const std::size_t behind = blocks_[next].offset + blocks_[next].bytes;
    at = round_up(at < behind ? behind : at, alignment);
  }
  if (at > end_ || bytes > end_ - at || count_ == most_blocks) return none;
  if (!table_.reach((count_ + 1) * sizeof(block))) return none;
  memmove(blocks_ + next + 1, blocks_ + next, (count_ - next) * sizeof(block));
  blocks_[next] = {.offset = at, .bytes = bytes, .owner = owner};
  ++count_;
  used_ += bytes;
  if (at + bytes > high_water_) high_water_ = at + bytes;
  return {at, none.high_water};
}

void team_blocks::release(std::size_t offset) {
  const os::locked hold(lock_);
  const std::size_t at = first_from(offset);
  if (at == count_ || blocks_[at].offset != offset) return;
  used_ -= blocks_[at].bytes;
  --count_;
  memmove(blocks_ + at, blocks_ + at + 1, (count_ - at) * sizeof(block));
}

team_blocks::block team_blocks::find(std::size_t offset) const {
  const os::locked hold(lock_);
  const std::size_t at = first_from(offset);
  return at < count_ && blocks_[at].offset == offset ? blocks_[at] : block{};
}

team_blocks::block team_blocks::any_of(const void* owner) const {
  const os::locked hold(lock_);
  for (std::size_t i = 0; i < count_; ++i)
    if (blocks_[i].owner == owner) return blocks_[i];
  return {};
}

team_blocks::usage team_blocks::report() const {
  const os::locked hold(lock_);
  return {.bytes = end_ - first_, .used = used_, .blocks = count_};
}

std::size_t team_blocks::high_water() const {
  const os::locked hold(lock_);
  return high_water_;
}

}  // namespace oshen::heap
