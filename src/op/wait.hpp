// Waiting for and testing variables of this PE that others change (OpenSHMEM 1.6, 9.10). Reads acquire: what
// the writer did before its update is visible after the wait. The single forms are here; the forms on
// several variables are in op/wait_many.hpp.
#pragma once

#include <shmem.h>

#include <atomic>

#include "op/site.hpp"
#include "world/idle.hpp"

namespace oshen::op {

template <class T>
[[gnu::always_inline]] inline bool holds(T value, int cmp, T wanted) {
  switch (cmp) {
    case SHMEM_CMP_EQ: return value == wanted;
    case SHMEM_CMP_NE: return value != wanted;
    case SHMEM_CMP_GT: return value > wanted;
    case SHMEM_CMP_GE: return value >= wanted;
    case SHMEM_CMP_LT: return value < wanted;
    default: return value <= wanted;
  }
}

const char* comparison_name(int cmp);

template <class T>
[[gnu::always_inline]] inline T look(T* ivar) {
  return std::atomic_ref<T>(*ivar).load(std::memory_order_acquire);
}

// The arguments that every wait and test has: symmetric, aligned, a known comparison.
template <class T>
[[gnu::always_inline]] inline void check_watched(site at, const char* argument, T* ivars, std::size_t n,
                                                 int cmp) {
  static_cast<void>(own_slice(at, argument, ivars, n * sizeof(T)));
  if (reinterpret_cast<std::uintptr_t>(ivars) % sizeof(T) != 0) [[unlikely]]
    misaligned(at, argument, ivars, sizeof(T));
  if (static_cast<unsigned>(cmp) > 5) [[unlikely]]
    bad_argument(at, "cmp = %d: expected one of SHMEM_CMP_EQ, NE, GT, GE, LT, LE", cmp);
}

template <class T>
inline T wait_for_value(site at, const char* argument, T* ivar, int cmp, T wanted) {
  check_watched(at, argument, ivar, 1, cmp);
  T seen = look(ivar);
  if (holds(seen, cmp, wanted)) return seen;
  const wait_note note{.routine = at.routine, .address = ivar, .relation = comparison_name(cmp),
                       .wanted = static_cast<long long>(wanted)};
  wait_for(*at.where->home, note, [&] {
    seen = look(ivar);
    return holds(seen, cmp, wanted);
  });
  return seen;
}

template <class T>
inline void wait_until(site at, T* ivar, int cmp, T cmp_value) {
  wait_for_value(at, "ivar", ivar, cmp, cmp_value);
}

template <class T>
inline int test(site at, T* ivar, int cmp, T cmp_value) {
  check_watched(at, "ivar", ivar, 1, cmp);
  return holds(look(ivar), cmp, cmp_value) ? 1 : 0;
}

inline std::uint64_t signal_wait_until(site at, std::uint64_t* sig_addr, int cmp, std::uint64_t cmp_value) {
  return wait_for_value(at, "sig_addr", sig_addr, cmp, cmp_value);
}

}  // namespace oshen::op
