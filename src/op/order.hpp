// Fence and quiet (OpenSHMEM 1.6, 9.12; design/completion-and-ordering.md).
//
// On a node a put has been stored when it returns. Fence orders earlier stores before later ones; x86 does that by
// itself, and glibc's memcpy ends its non-temporal stores with a fence. Quiet also empties the store buffer: only then
// all PEs see all stores. For operations on other nodes both need more work (op/slow_path.hpp).
#pragma once

#include <atomic>

#include "op/call_site.hpp"
#include "op/slow_path.hpp"

namespace oshen::op {

[[gnu::always_inline]] inline void fence(call_site at) {
  if (at.ctx != nullptr && at.ctx->special != 0) [[unlikely]]
    return fence_slow(at);
  std::atomic_thread_fence(std::memory_order_release);
}

// A full fence. On x86 every locked instruction is a full fence, and it is faster than mfence. The address is near the
// end of the red zone: away from the return address, whose recent store would delay it, and yet valid for Valgrind.
[[gnu::always_inline]] inline void drain_stores() {
#if defined(__x86_64__)
  asm volatile("lock orl $0, -120(%%rsp)" ::: "memory", "cc");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

[[gnu::always_inline]] inline void quiet(call_site at) {
  if (at.ctx != nullptr && at.ctx->special != 0) [[unlikely]]
    return quiet_slow(at);
  drain_stores();
}

// The sources of earlier non-blocking puts may be reused. On a node they have been read when the put returned.
[[gnu::always_inline]] inline void quiet_local(call_site at) {
  if (at.ctx != nullptr && at.ctx->special != 0) [[unlikely]]
    quiet_local_slow(at);
}

// Quiet before an atomic read-modify-write operation: on x86 that instruction is the fence.
[[gnu::always_inline]] inline void quiet_before_atomic(call_site at) {
#if defined(__x86_64__)
  if (at.ctx != nullptr && at.ctx->special != 0) [[unlikely]]
    return quiet_slow(at);
  std::atomic_thread_fence(std::memory_order_release);
#else
  quiet(at);
#endif
}

// Quiet towards one PE of the node is quiet towards all of them.
inline void pe_quiet(call_site at, const int* target_pes, std::size_t npes) {
  if (at.ctx == nullptr) return;
  for (std::size_t i = 0; i < npes; ++i) static_cast<void>(locate(at, target_pes[i]));
  if (npes != 0) quiet(at);
}

}  // namespace oshen::op
