#include "heap/block_index.hpp"

#include <string.h>

#include <algorithm>

namespace oshen::heap {
namespace {

constexpr std::size_t most_entries = std::size_t{1} << 24;  // as many as the allocator has blocks

}  // namespace

status block_index::open() {
  if (!table_.open(most_entries * sizeof(entry))) return status::no_memory;
  entries_ = static_cast<entry*>(table_.start());
  return status::ok;
}

void block_index::close() {
  table_.close();
  entries_ = nullptr;
  count_ = 0;
}

std::size_t block_index::first_after(std::size_t offset) const {
  const entry* after = std::ranges::upper_bound(entries_, entries_ + count_, offset, {}, &entry::offset);
  return static_cast<std::size_t>(after - entries_);
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
  } else if (bytes != 0 && count_ < most_entries && table_.reach((count_ + 1) * sizeof(entry))) {
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
