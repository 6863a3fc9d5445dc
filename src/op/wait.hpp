// Waiting for and testing variables of this PE that other PEs change (OpenSHMEM 1.6, 9.10). Reads have acquire order:
// the writer's earlier stores are visible after the wait. The forms on one variable are here, those on several
// variables in op/wait_many.hpp.
#pragma once

#include <shmem.h>

#include <atomic>
#include <cstdint>

#include "op/call_site.hpp"
#include "wait/backoff.hpp"

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
[[gnu::always_inline]] inline T load(T* ivar) {
  return std::atomic_ref<T>(*ivar).load(std::memory_order_acquire);
}

// Checks the arguments of a wait or test: the variables must be symmetric and aligned, and the comparison valid.
// Returns their address in this PE's slice, where other PEs write them.
template <class T>
[[gnu::always_inline]] inline const void* check_watched(call_site at, const char* argument, T* ivars, std::size_t n,
                                                        int cmp) {
  const void* const memory = byte_offset(ivars, own_slice(at, argument, ivars, bytes_of(at, n, sizeof(T))));
  if (reinterpret_cast<std::uintptr_t>(ivars) % sizeof(T) != 0) [[unlikely]]
    misaligned(at, argument, ivars, sizeof(T));
  if (static_cast<unsigned>(cmp) > 5) [[unlikely]]
    bad_argument(at, "cmp = %d: expected one of SHMEM_CMP_EQ, NE, GT, GE, LT, LE", cmp);
  return memory;
}

// Out of line, so that a wait whose condition holds at once needs to save no registers.
template <class T, awaited what>
[[gnu::noinline]] T await_value(call_site at, const char* argument, T* ivar, int cmp, T wanted, const void* memory) {
  check_symmetric(at, argument, ivar, sizeof(T));
  T seen = load(ivar);
  const wait_info info{.routine = at.routine,
                       .address = ivar,
                       .relation = comparison_name(cmp),
                       .wanted = static_cast<long long>(wanted),
                       .object = memory,
                       .bytes = sizeof(T),
                       .what = what};
  wait_for(*at.ctx->home, info, [&] {
    seen = load(ivar);
    return holds(seen, cmp, wanted);
  });
  return seen;
}

template <awaited what = awaited::object, class T>
inline T wait_for_value(call_site at, const char* argument, T* ivar, int cmp, T wanted) {
  const void* const memory = check_watched(at, argument, ivar, 1, cmp);
  const T seen = load(ivar);
  return holds(seen, cmp, wanted) ? seen : await_value<T, what>(at, argument, ivar, cmp, wanted, memory);
}

template <class T>
inline void wait_until(call_site at, T* ivar, int cmp, T cmp_value) {
  wait_for_value(at, "ivar", ivar, cmp, cmp_value);
}

// Tests again after this PE has given way, because the awaited PE may have had the CPU. The arguments are those of
// test() and stay in their registers: `used` keeps the compiler from changing them.
template <class T>
[[gnu::noinline, gnu::cold, gnu::used]] int test_later(call_site at, T* ivar, int cmp, T wanted) {
  const T seen = load(ivar);
  if (holds(seen, cmp, wanted)) return 1;
  looked_in_vain(*at.ctx->home, ivar, static_cast<std::uint64_t>(seen));
  return holds(load(ivar), cmp, wanted) ? 1 : 0;
}

template <class T>
inline int test(call_site at, T* ivar, int cmp, T cmp_value) {
  check_watched(at, "ivar", ivar, 1, cmp);
  const T seen = load(ivar);
  if (holds(seen, cmp, cmp_value)) return 1;
  if (gives_way(*at.ctx->home)) [[unlikely]]
    return test_later(at, ivar, cmp, cmp_value);
  return 0;
}

inline std::uint64_t signal_wait_until(call_site at, std::uint64_t* sig_addr, int cmp, std::uint64_t cmp_value) {
  return wait_for_value<awaited::signal>(at, "sig_addr", sig_addr, cmp, cmp_value);
}

}  // namespace oshen::op
