// Sleeping until another PE writes, and waking sleepers after a write (design/waiting.md).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "world/control.hpp"
#include "world/world.hpp"

namespace oshen {

// ---- the waiter -----------------------------------------------------------------------------------------

// A thread that sleeps in one wait. The wake flag shows what it watches, from its first announcement to its
// destruction.
class sleeper {
 public:
  // Watches `bytes` bytes of the program's memory, at an address in this PE's slice; 0 bytes mean flags of the library.
  // While non-blocking collectives are in progress every write wakes it, because it advances them.
  sleeper(world& w, const void* memory, std::size_t bytes) : world_(w), memory_(memory), bytes_(bytes) {}
  ~sleeper() { withdraw(); }
  sleeper(const sleeper&) = delete;
  sleeper& operator=(const sleeper&) = delete;

  // The caller must test its condition once more before it sleeps.
  void announce();
  // True if a writer has woken this PE since the announcement, perhaps for another thread.
  bool sleep(std::uint64_t at_most_ns);

 private:
  bool is_announced() const;
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

// Out of line: the PE has sleepers.
void wake_for_flags(wake_flag& wakeup);
void wake_for_memory(wake_flag& wakeup, const void* written, std::size_t bytes);
bool wake_for_all(wake_flag& wakeup);  // true if there was one

// To be called after a store to a flag of the library. A plain load is enough because the waiter issues a remote
// barrier.
[[gnu::always_inline]] inline void wake(wake_flag& wakeup) {
  asm volatile("" ::: "memory");  // the earlier store must not move below this load
  if (wakeup.flag_state.load(std::memory_order_relaxed) != 0) [[unlikely]]
    wake_for_flags(wakeup);
}

// Wakes all sleepers of this PE: data arrived, or there is work that they advance. True if there was one.
inline bool wake_own_sleepers(wake_flag& wakeup) {
  asm volatile("" ::: "memory");
  if (wakeup.flag_state.load(std::memory_order_relaxed) == 0 && wakeup.watched.load(std::memory_order_relaxed) == 0)
      [[likely]]
    return false;
  return wake_for_all(wakeup);
}

// To be called after stores to the program's memory.
[[gnu::always_inline]] inline void wake(wake_flag& wakeup, const void* written, std::size_t bytes) {
  asm volatile("" ::: "memory");
  if (wakeup.watched.load(std::memory_order_relaxed) != 0) [[unlikely]]
    wake_for_memory(wakeup, written, bytes);
}

// The same after one store, `offset` bytes from `own`. The address is computed again here, because keeping it would
// cost every writer an instruction.
[[gnu::always_inline]] inline void wake(wake_flag& wakeup, const void* own, std::ptrdiff_t offset, std::size_t bytes) {
  asm volatile("" ::: "memory");
  if (wakeup.watched.load(std::memory_order_relaxed) == 0) [[likely]]
    return;
  asm("" : "+r"(own));  // keeps the compiler from reusing the address of the store
  wake_for_memory(wakeup, byte_offset(static_cast<const char*>(own), offset), bytes);
}

// To be called after data and a signal: one load for both.
[[gnu::always_inline]] inline void wake(wake_flag& wakeup, const void* written, std::size_t bytes,
                                        const std::uint64_t* signal) {
  asm volatile("" ::: "memory");
  if (wakeup.watched.load(std::memory_order_relaxed) == 0) [[likely]]
    return;
  wake_for_memory(wakeup, written, bytes);
  wake_for_memory(wakeup, signal, sizeof *signal);
}

// Out of line: the team's PEs have no constant stride, a PE has sleepers, or PEs share CPUs.
void wake_each(const team& t);

// To be called after stores to flags for which any PE of the team on this node may wait.
inline void wake_all(const team& t) {
  const context& c = t.ctx;
  if (c.peer_offsets != nullptr) [[unlikely]]
    return wake_each(t);
  asm volatile("" ::: "memory");
  const control_page* page = byte_offset(c.control, c.near_offset);
  for (std::uint32_t left = c.near_count; left != 0; --left, page = byte_offset(page, c.offset_step))
    if (page->wakeup.flag_state.load(std::memory_order_relaxed) != 0) [[unlikely]]
      return wake_each(t);
}

}  // namespace oshen
