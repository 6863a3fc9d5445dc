// Handles that user code holds for teams and contexts: where the object lies in its table, and the number of times that
// a place was used, so that a handle of something destroyed is recognised and never followed.
#pragma once

#include <bit>
#include <cstdint>

#include "base/bits.hpp"
#include "os/memory.hpp"
#include "os/mutex.hpp"

namespace oshen {

// `T` has a member `handle`, 0 while the place is free. Find is safe beside make and drop of other places. The first
// place is nobody's: handles are never 0 nor one of the constants of shmem.h, and to look for one finds nothing.
template <class T, std::uint32_t capacity>
class handle_table {
 public:
  bool open() {
    places_ = static_cast<T*>(os::reserve(reserved));
    if (places_ != nullptr) places_[0].handle = nobody;
    return places_ != nullptr;
  }
  void close() {
    if (places_ != nullptr) os::release(places_, reserved);
    places_ = nullptr;
  }

  // A copy of `model` with a handle of its own, or null when the table is full.
  T* make(const T& model = T{}) {
    os::locked hold(lock_);
    for (std::uint32_t at = 1; at <= capacity; ++at) {
      if (at < touched_ && places_[at].handle != 0) continue;
      if (at >= touched_) touched_ = at + 1;
      places_[at] = model;
      places_[at].handle = ++generation_ << place_bits | at * sizeof(T);
      return &places_[at];
    }
    return nullptr;
  }
  void drop(T* object) {
    os::locked hold(lock_);
    object->handle = 0;
  }
  T* find(std::uintptr_t handle) const { return places_ != nullptr ? find_in(places_, handle) : nullptr; }
  // The same for who keeps the address of the table, because it may cost nothing.
  static T* find_in(T* places, std::uintptr_t handle) {
    T* object = byte_offset(places, static_cast<std::ptrdiff_t>(handle & place_mask));
    return object->handle == handle ? object : nullptr;
  }
  T* places() const { return places_; }
  // Every object in use, in no order that means anything.
  template <class Visit>
  void each(Visit visit) {
    if (places_ == nullptr) return;
    for (std::uint32_t at = 1; at < touched_; ++at)
      if (places_[at].handle != 0) visit(places_[at]);
  }

 private:
  // A handle holds the distance of its place in bytes, which costs a user neither a multiplication nor a comparison:
  // wherever a wrong one leads is still in the reserved memory.
  static constexpr std::size_t place_end = std::bit_ceil((capacity + 1) * sizeof(T));
  static constexpr std::size_t reserved = place_end + sizeof(T);
  static constexpr std::uintptr_t place_mask = (place_end - 1) & ~(alignof(T) - 1);
  static constexpr int place_bits = std::countr_zero(place_end);
  static constexpr std::uintptr_t nobody = ~std::uintptr_t{0};
  T* places_ = nullptr;
  os::mutex lock_;
  std::uint32_t touched_ = 1;  // places beyond have never been used: their pages stay untouched
  std::uintptr_t generation_ = 0;
};

}  // namespace oshen
