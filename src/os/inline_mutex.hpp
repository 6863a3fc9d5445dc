// A lock whose calls are inlined, for paths of some dozens of instructions. A thread that finds it taken sleeps.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/holding.hpp"

namespace oshen::os {

class inline_mutex {
 public:
  bool try_lock() {
    std::uint32_t expected = open;
    return state_.compare_exchange_strong(expected, taken, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void lock() {
    if (!try_lock()) [[unlikely]]
      lock_later();
  }
  void unlock() {
    if (state_.exchange(open, std::memory_order_release) == awaited) [[unlikely]]
      wake();
  }

 private:
  // `awaited`: taken, and other threads may sleep.
  enum : std::uint32_t { open, taken, awaited };

  [[gnu::cold]] void lock_later();
  [[gnu::cold]] void wake();

  std::atomic<std::uint32_t> state_{open};
};

using inline_locked = holding<inline_mutex>;

}  // namespace oshen::os
