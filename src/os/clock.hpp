// Time, and pauses of spin loops.
#pragma once

#include <time.h>

#include <cstdint>

namespace oshen::os {

inline std::uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

// Tells the core that this is a spin loop.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // a real delay there; "yield" is a no-op on most cores
#endif
}

// The pause between two reads of a cache line that another CPU writes. Reads without a pause take the line away from
// the writer.
inline void rest() {
  pause();
  pause();
}

}  // namespace oshen::os
