#include "private.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace races {

private_memory::page* private_memory::find(std::uintptr_t address) const {
  const std::uintptr_t number = address / page_bytes + 1;
  for (std::size_t i = first_entry(number);; i = (i + 1) % n_entries) {
    const std::uintptr_t there = entries_[i].number.load(std::memory_order_acquire);
    if (there == 0) return nullptr;
    if (there == number) return entries_[i].shadow.load(std::memory_order_acquire);
  }
}

private_memory::page* private_memory::make(std::uintptr_t address) {
  if (page* known = find(address)) return known;
  if (n_pages_ >= most_pages) return nullptr;
  void* made = mmap(nullptr, sizeof(page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) return nullptr;
  const std::uintptr_t number = address / page_bytes + 1;
  for (std::size_t i = first_entry(number);; i = (i + 1) % n_entries) {
    std::uintptr_t there = 0;
    if (!entries_[i].number.compare_exchange_strong(there, number) && there != number) continue;
    page* none = nullptr;
    if (entries_[i].shadow.compare_exchange_strong(none, static_cast<page*>(made))) {
      ++n_pages_;
      return static_cast<page*>(made);
    }
    munmap(made, sizeof(page));  // another thread was first
    return none;
  }
}

void private_memory::forget(std::uintptr_t start, std::size_t bytes) {
  if (is_empty()) return;
  for (std::uintptr_t at = start, end = start + bytes; at < end;) {
    const std::uintptr_t next = std::min(end, (at / page_bytes + 1) * page_bytes);
    if (page* p = find(at)) {
      const std::size_t first = at % page_bytes / cell::memory, last = ((next - 1) % page_bytes) / cell::memory;
      p->lock.lock();
      std::memset(static_cast<void*>(p->cells + first), 0, (last - first + 1) * sizeof(cell));
      p->lock.unlock();
    }
    at = next;
  }
}

void private_memory::clear() {
  for (page_entry& e : entries_) {
    if (page* p = e.shadow.exchange(nullptr)) munmap(p, sizeof(page));
    e.number = 0;
  }
  n_pages_ = 0;
}

}  // namespace races
