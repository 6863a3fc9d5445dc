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

// Between two looks at a line that another CPU writes. Who looks without rest takes it away when the writer wants it.
inline void rest() {
  pause();
  pause();
}

}  // namespace oshen::os
