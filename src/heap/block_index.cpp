#include "heap/block_index.hpp"

#include <string.h>

#include "os/memory.hpp"

namespace oshen::heap {
namespace {

constexpr std::size_t most_entries = std::size_t{1} << 24;  // as many as the allocator has blocks

}  // namespace

status block_index::open() {
  entries_ = static_cast<entry*>(os::reserve(most_entries * sizeof(entry)));
  return entries_ != nullptr ? status::ok : status::no_memory;
}

void block_index::close() {
  if (entries_ != nullptr) os::release(entries_, most_entries * sizeof(entry));
  entries_ = nullptr;
  count_ = 0;
}

std::size_t block_index::first_after(std::size_t offset) const {
  std::size_t low = 0, high = count_;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (entries_[middle].offset <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void block_index::set(std::size_t offset, std::size_t bytes) {
  if (!is_open()) return;
  const os::locked hold(lock_);
  const std::size_t after = first_after(offset);
  const bool known = after > 0 && entries_[after - 1].offset == offset;
  if (known && bytes != 0) {
    entries_[after - 1].bytes = bytes;
  } else if (known) {
    memmove(entries_ + after - 1, entries_ + after, (count_ - after) * sizeof(entry));
    --count_;
  } else if (bytes != 0 && count_ < most_entries) {
    memmove(entries_ + after + 1, entries_ + after, (count_ - after) * sizeof(entry));
    entries_[after] = {offset, bytes};
    ++count_;
  }
}

block_index::entry block_index::at_or_before(std::size_t offset) const {
  const os::locked hold(lock_);
  const std::size_t after = first_after(offset);
  return after == 0 ? entry{} : entries_[after - 1];
}

}  // namespace oshen::heap
