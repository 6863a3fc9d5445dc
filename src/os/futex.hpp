// Sleeping on a counter in shared memory, and the barrier that lets the writer skip its fence.
#pragma once

#include <atomic>
#include <cstdint>

namespace oshen::os {

// Sleeps while `word` holds `expected`, for at most `nanoseconds`. It may return early without a reason.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t nanoseconds);
void futex_wake_all(const std::atomic<std::uint32_t>& word);

// Registers this process for remote_barrier(); false if the kernel does not have it.
bool register_remote_barrier();

// A full memory barrier on every running thread of every registered process (membarrier(2), global expedited). It takes
// about half a microsecond. A waiter publishes its flag, calls this, and tests; a writer stores and then reads the
// flag. No wake-up is lost, although the writer has no fence.
void remote_barrier();

}  // namespace oshen::os
