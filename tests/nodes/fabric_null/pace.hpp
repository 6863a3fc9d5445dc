// A card that executes a limited number of operations a second. It has a queue, and refuses operations while that is
// full.
#pragma once

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "behaviour.hpp"

namespace {

inline std::uint64_t card_clock() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000 + static_cast<std::uint64_t>(t.tv_nsec);
}

class pace {
 public:
  // False: the queue is full.
  bool accept() {
    const std::uint64_t interval = chosen().interval_ns;
    if (interval == 0) return true;
    const std::uint64_t now = card_clock();
    std::uint64_t end = end_.load(std::memory_order_relaxed);
    do {
      if (end > now + chosen().queue * interval) return false;
    } while (!end_.compare_exchange_weak(end, std::max(end, now) + interval, std::memory_order_relaxed));
    return true;
  }
  // The operations in the queue.
  std::uint64_t n_queued() const {
    const std::uint64_t interval = chosen().interval_ns;
    if (interval == 0) return 0;
    const std::uint64_t now = card_clock(), end = end_.load(std::memory_order_relaxed);
    return end > now ? (end - now + interval - 1) / interval : 0;
  }

 private:
  std::atomic<std::uint64_t> end_{0};  // of the last operation that was accepted
};

}  // namespace
