// The shadow of private memory of this PE, which its threads may share. It has the pages that they touched.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "region.hpp"

namespace races {

class private_memory {
 public:
  static constexpr std::size_t page_bytes = 4096, most_pages = 1 << 16;
  struct page {
    cell cells[page_bytes / cell::memory];
    spin_lock lock;
  };

  bool is_empty() const { return n_pages_.load(std::memory_order_relaxed) == 0; }
  // The shadow of the page of this address; null if it has none.
  page* find(std::uintptr_t address) const;
  // Null if there are too many.
  page* make(std::uintptr_t address);
  // Nothing is known of these bytes, nor of those that share eight bytes with them.
  void forget(std::uintptr_t start, std::size_t bytes);
  void clear();

 private:
  struct page_entry {
    std::atomic<std::uintptr_t> number;  // of the page, plus 1; 0: none
    std::atomic<page*> shadow;
  };
  static std::size_t first_entry(std::uintptr_t number) { return (number * 0x9e3779b97f4a7c15u >> 40) % n_entries; }
  static constexpr std::size_t n_entries = 2 * most_pages;
  std::array<page_entry, n_entries> entries_{};  // a hash table, linear probing
  std::atomic<std::size_t> n_pages_{0};
};

}  // namespace races
