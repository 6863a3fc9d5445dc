// Handles that user code holds for teams and contexts: an index and the number of times the place was used,
// so that a handle of something destroyed is recognised and never followed.
#pragma once

#include <cstdint>

#include "os/memory.hpp"
#include "os/mutex.hpp"

namespace oshen {

inline constexpr std::uint32_t lowest_handle = 16;  // below lie the constants of shmem.h

// `T` has a member `handle`, 0 while the place is free. Find is safe beside make and drop of other places.
template <class T, std::uint32_t capacity>
class handle_table {
 public:
  bool open() {
    places_ = static_cast<T*>(os::reserve(sizeof(T) * capacity));
    return places_ != nullptr;
  }
  void close() {
    if (places_ != nullptr) os::release(places_, sizeof(T) * capacity);
    places_ = nullptr;
  }

  // A copy of `model` with a handle of its own, or null when the table is full.
  T* make(const T& model = T{}) {
    os::locked hold(lock_);
    for (std::uint32_t at = 0; at < capacity; ++at) {
      if (at < touched_ && places_[at].handle != 0) continue;
      if (at >= touched_) touched_ = at + 1;
      generation_ = (generation_ + 1) % 0x7fff;
      places_[at] = model;
      places_[at].handle = (generation_ + 1) << 16 | at;
      return &places_[at];
    }
    return nullptr;
  }
  void drop(T* object) {
    os::locked hold(lock_);
    object->handle = 0;
  }
  T* find(std::uintptr_t handle) const {
    T* object = &places_[handle % capacity];
    return places_ != nullptr && handle >= lowest_handle && object->handle == handle ? object : nullptr;
  }
  // Every object in use, in no order that means anything.
  template <class Visit>
  void each(Visit visit) {
    if (places_ == nullptr) return;
    for (std::uint32_t at = 0; at < touched_; ++at)
      if (places_[at].handle != 0) visit(places_[at]);
  }

 private:
  static_assert(capacity <= 0x10000 && 0x10000 % capacity == 0);
  T* places_ = nullptr;
  os::mutex lock_;
  std::uint32_t touched_ = 0;  // places beyond have never been used: their pages stay untouched
  std::uint32_t generation_ = 0;
};

}  // namespace oshen
