// Fence and quiet (OpenSHMEM 1.6, 9.12; design/completion-and-ordering.md).
//
// On a node a put has left for the peer's cache when it returns. Fence keeps later stores behind earlier
// ones, which on x86 the hardware does by itself (glibc's memcpy closes its non-temporal stores with a
// fence). Quiet also waits until the store buffer is empty: only then every PE sees every store. Where operations on
// other nodes are under way, both have more to do (op/other_node.hpp).
#pragma once

#include <atomic>

#include "op/other_node.hpp"
#include "op/call_site.hpp"

namespace oshen::op {

[[gnu::always_inline]] inline void fence(call_site at) {
  if (at.where != nullptr && at.where->special != 0) [[unlikely]] return fence_elsewhere(at);
  std::atomic_thread_fence(std::memory_order_release);
}

// A full fence. On x86 any locked instruction is one, and cheaper than mfence; below the red zone it meets
// neither the return address nor a variable.
[[gnu::always_inline]] inline void drain_stores() {
#if defined(__x86_64__)
  asm volatile("lock orl $0, -192(%%rsp)" ::: "memory", "cc");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

[[gnu::always_inline]] inline void quiet(call_site at) {
  if (at.where != nullptr && at.where->special != 0) [[unlikely]] return quiet_elsewhere(at);
  drain_stores();
}

// Quiet, where an atomic read-modify-write follows: on x86 that instruction is the fence.
[[gnu::always_inline]] inline void quiet_before_atomic(call_site at) {
#if defined(__x86_64__)
  if (at.where != nullptr && at.where->special != 0) [[unlikely]] return quiet_elsewhere(at);
  std::atomic_thread_fence(std::memory_order_release);
#else
  quiet(at);
#endif
}

// PEs of the node are all reached the same way: to be quiet towards one is to be quiet towards all.
inline void pe_quiet(call_site at, const int* target_pes, std::size_t npes) {
  if (at.where == nullptr) return;
  for (std::size_t i = 0; i < npes; ++i) static_cast<void>(find(at, target_pes[i]));
  if (npes != 0) quiet(at);
}

}  // namespace oshen::op
