// Sleeping until another PE wakes, and waking (design/waiting.md).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "world/control.hpp"
#include "world/world.hpp"

namespace oshen {

// ---- the waiter -----------------------------------------------------------------------------------------

// A thread that sleeps in one wait. What it watches stands at the wake flag from its first announcement until it
// leaves.
class sleeper {
 public:
  // Watches `bytes` bytes of the program's memory, at an address in this PE's slice; or flags of the library (0 bytes).
  // While non-blocking collectives are under way it wakes for everything, because it advances them.
  sleeper(world& w, const void* memory, std::size_t bytes) : world_(w), memory_(memory), bytes_(bytes) {}
  ~sleeper() { withdraw(); }
  sleeper(const sleeper&) = delete;
  sleeper& operator=(const sleeper&) = delete;

  // The caller must test once more before it sleeps.
  void announce();
  // True when somebody has woken since the announcement; it may have been for another thread.
  bool sleep(std::uint64_t at_most_ns);

 private:
  bool stands() const;
  void publish(bool everything);
  void count_for_flags();
  void withdraw();

  world& world_;
  const void* memory_;
  std::size_t bytes_;
  std::uint32_t wakes_seen_ = 0;
  bool counted_ = false;
  bool everything_ = false;
};

// ---- the writer -----------------------------------------------------------------------------------------

// Out of line: somebody sleeps there.
void wake_for_flags(wake_flag& wakeup);
void wake_for_memory(wake_flag& wakeup, const void* written, std::size_t bytes);
void wake_for_all(wake_flag& wakeup);

// After a store to a flag of the library. The waiter's remote barrier makes a plain load enough.
[[gnu::always_inline]] inline void wake(wake_flag& wakeup) {
  asm volatile("" ::: "memory");  // the store before must not move below the look
  if (wakeup.flags.load(std::memory_order_relaxed) != 0) [[unlikely]] wake_for_flags(wakeup);
}

// After another thread of this PE has got work that those who sleep help with.
inline void wake_own_sleepers(wake_flag& wakeup) {
  asm volatile("" ::: "memory");
  if (wakeup.flags.load(std::memory_order_relaxed) != 0 || wakeup.memory.load(std::memory_order_relaxed) != 0)
      [[unlikely]]
    wake_for_all(wakeup);
}

// After stores to the program's memory.
[[gnu::always_inline]] inline void wake(wake_flag& wakeup, const void* written, std::size_t bytes) {
  asm volatile("" ::: "memory");
  if (wakeup.memory.load(std::memory_order_relaxed) != 0) [[unlikely]] wake_for_memory(wakeup, written, bytes);
}

// The same after one store, `offset` bytes from `own`: the address is made anew for the wake flag, because to keep the
// first would cost every writer an instruction.
[[gnu::always_inline]] inline void wake(wake_flag& wakeup, const void* own, std::ptrdiff_t offset, std::size_t bytes) {
  asm volatile("" ::: "memory");
  if (wakeup.memory.load(std::memory_order_relaxed) == 0) [[likely]] return;
  asm("" : "+r"(own));  // nothing that the compiler has seen before
  wake_for_memory(wakeup, byte_offset(static_cast<const char*>(own), offset), bytes);
}

// After data and a signal: one look for both.
[[gnu::always_inline]] inline void wake(wake_flag& wakeup, const void* written, std::size_t bytes,
                                        const std::uint64_t* signal) {
  asm volatile("" ::: "memory");
  if (wakeup.memory.load(std::memory_order_relaxed) == 0) [[likely]] return;
  wake_for_memory(wakeup, written, bytes);
  wake_for_memory(wakeup, signal, sizeof *signal);
}

// Out of line: the PEs of the team follow no rule, somebody sleeps, or PEs share CPUs.
void wake_each(const team& t);

// For stores to flags that any PE of the team on this node may wait for.
inline void wake_all(const team& t) {
  const context& c = t.ctx;
  if (c.peer_offsets != nullptr) [[unlikely]] return wake_each(t);
  asm volatile("" ::: "memory");
  const control_page* page = byte_offset(c.control, c.near_offset);
  for (std::uint32_t left = c.near_count; left != 0; --left, page = byte_offset(page, c.offset_step))
    if (page->wakeup.flags.load(std::memory_order_relaxed) != 0) [[unlikely]] return wake_each(t);
}

}  // namespace oshen
