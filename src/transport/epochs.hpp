// Counts operations in progress, so that a wait for earlier operations ends although other threads keep issuing new
// ones (design/operations-in-progress.md). Two counters take turns: one for the current epoch, one for
// the epoch before. Epoch e + 1 begins only when epoch e - 1 is complete, so its counter is free.
#pragma once

#include <atomic>
#include <cstdint>

#include "transport/transport.hpp"

namespace oshen::transport {

class epochs {
 public:
  // Counts `n` operations that begin, and returns their epoch for leave(). The second load makes sure that the epoch
  // was current when they were counted: a wait that begins later finds them in its own epoch or in the one before.
  std::uint32_t enter(std::uint32_t n = 1) {
    for (;;) {
      const std::uint32_t now = current_.load();
      counter(now).fetch_add(n);
      if (current_.load() == now) return now;
      counter(now).fetch_sub(n);
    }
  }
  // Counts an operation that begins. The transport subtracts 1 from the result at its local completion, which is as
  // good as leave(); the caller does so if the operation was not accepted.
  completion* enter_until_complete() { return &counters_[enter() & 1]; }
  // Counts more operations in an epoch in which the caller still has one.
  void add(std::uint32_t epoch, std::uint32_t n) { counter(epoch).fetch_add(n, std::memory_order_relaxed); }
  // Release order: a thread that sees the counter at 0 sees the effects of the operations. Only the parity of `epoch`
  // is used.
  void leave(std::uint32_t epoch, std::uint32_t n = 1) { counter(epoch).fetch_sub(n, std::memory_order_release); }

  std::uint32_t now() const { return current_.load(); }
  bool is_idle() const { return (counters_[0].pending.load() | counters_[1].pending.load()) == 0; }

  // True: all operations that began before `epoch` was returned by now() are complete. Ends the epoch if that is needed
  // and possible.
  bool have_passed(std::uint32_t epoch) {
    for (;;) {
      std::uint32_t now = current_.load();
      if (now - epoch >= 2) return true;
      if (now != epoch) return counter(epoch).load() == 0;
      if (counter(epoch + 1).load() != 0) return false;
      if (counter(epoch).load() == 0) return true;
      current_.compare_exchange_strong(now, epoch + 1);
    }
  }

 private:
  std::atomic<std::uint32_t>& counter(std::uint32_t epoch) { return counters_[epoch & 1].pending; }

  std::atomic<std::uint32_t> current_{0};
  completion counters_[2] = {};
};

}  // namespace oshen::transport
