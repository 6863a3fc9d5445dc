// Sleeping on a word of shared memory, and the barrier that lets the writer skip its fence.
#pragma once

#include <atomic>
#include <cstdint>

namespace oshen::os {

// Sleeps while `word` holds `expected`, at most `nanoseconds`; may return early without reason.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::uint64_t nanoseconds);
void futex_wake_all(const std::atomic<std::uint32_t>& word);

// Registers this process for remote_barrier(); false when the kernel has none.
bool register_remote_barrier();

// A full memory barrier on every running thread of every registered process (membarrier(2), global
// expedited). It makes "waiter: publish, barrier, check / writer: store, look" safe with no fence at
// the writer. About half a microsecond.
void remote_barrier();

}  // namespace oshen::os
