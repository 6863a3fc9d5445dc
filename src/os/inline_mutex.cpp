#include "os/inline_mutex.hpp"

#include "os/futex.hpp"

namespace oshen::os {
namespace {

constexpr std::uint64_t longest_sleep_ns = 1000000000;

}  // namespace

// A thread that has slept cannot tell whether others still do, so it takes the lock as one that is awaited.
void inline_mutex::lock_later() {
  while (state_.exchange(awaited, std::memory_order_acquire) != open) futex_wait(state_, awaited, longest_sleep_ns);
}

void inline_mutex::wake() { futex_wake_all(state_); }

}  // namespace oshen::os
