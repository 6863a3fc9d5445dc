// Handles of teams, contexts and graphs. A handle consists of an entry's offset in its table and a generation number,
// so that the handle of a destroyed object is recognised.
#pragma once

#include <bit>
#include <cstdint>

#include "base/bits.hpp"
#include "os/memory.hpp"
#include "os/mutex.hpp"

namespace oshen {

// `T` has a member `handle`, which is 0 while the entry is free. find() may run while other threads make or drop other
// objects. The first entry is never used: handles differ from 0 and from the constants of shmem.h, and looking up one
// of those finds nothing.
template <class T, std::uint32_t capacity>
class handle_table {
 public:
  static constexpr int index_bits = std::bit_width(capacity);  // of short names

  bool open() {
    entries_ = static_cast<T*>(os::reserve(reserved));
    if (entries_ != nullptr) entries_[0].handle = unused;
    return entries_ != nullptr;
  }
  void close() {
    if (entries_ != nullptr) os::release(entries_, reserved);
    entries_ = nullptr;
  }

  // A copy of `model` with a new handle; null if the table is full.
  T* make(const T& model = T{}) {
    os::locked hold(lock_);
    for (std::uint32_t at = 1; at <= capacity; ++at) {
      if (at < touched_ && entries_[at].handle != 0) continue;
      if (at >= touched_) touched_ = at + 1;
      entries_[at] = model;
      entries_[at].handle = ++generation_ << offset_bits | at * sizeof(T);
      return &entries_[at];
    }
    return nullptr;
  }
  void drop(T* object) {
    os::locked hold(lock_);
    object->handle = 0;
  }
  T* find(std::uintptr_t handle) const { return entries_ != nullptr ? find_in(entries_, handle) : nullptr; }
  // The same for a caller that has the address of the table at hand.
  static T* find_in(T* entries, std::uintptr_t handle) {
    T* object = byte_offset(entries, static_cast<std::ptrdiff_t>(handle & offset_mask));
    return object->handle == handle ? object : nullptr;
  }
  T* entries() const { return entries_; }

  // A 32-bit name of the same object, for handles that also hold another number: the index of its entry, and the low
  // bits of its generation. A name is unique until 2^32 / 2^index_bits more objects have been made. Index 0 is free for
  // objects outside the table.
  static std::uint32_t short_name(std::uintptr_t handle) {
    const auto entry = static_cast<std::uint32_t>((handle & offset_mask) / sizeof(T));
    return static_cast<std::uint32_t>(handle >> offset_bits) << index_bits | entry;
  }
  T* find_short(std::uint32_t name) const {
    const std::uint32_t entry = name & ((1u << index_bits) - 1);
    if (entries_ == nullptr || entry == 0 || entry > capacity) return nullptr;
    T* object = &entries_[entry];
    return object->handle != 0 && short_name(object->handle) == name ? object : nullptr;
  }
  // For tests of the wrap-around of generations.
  void count_from(std::uintptr_t generation) { generation_ = generation; }

  // Visits every object, in no particular order.
  template <class Visit>
  void each(Visit visit) {
    if (entries_ == nullptr) return;
    for (std::uint32_t at = 1; at < touched_; ++at)
      if (entries_[at].handle != 0) visit(entries_[at]);
  }

 private:
  // A handle holds the entry's offset in bytes, so that a lookup needs neither a multiplication nor a range check: an
  // invalid handle still leads into the reserved memory.
  static constexpr std::size_t offset_end = std::bit_ceil((capacity + 1) * sizeof(T));
  static constexpr std::size_t reserved = offset_end + sizeof(T);
  static constexpr std::uintptr_t offset_mask = (offset_end - 1) & ~(alignof(T) - 1);
  static constexpr int offset_bits = std::countr_zero(offset_end);
  static constexpr std::uintptr_t unused = ~std::uintptr_t{0};
  T* entries_ = nullptr;
  os::mutex lock_;
  std::uint32_t touched_ = 1;  // entries from this index on have never been used, and their pages are untouched
  std::uintptr_t generation_ = 0;
};

}  // namespace oshen
