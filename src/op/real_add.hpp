// Atomic addition of floating-point numbers (shmemx_atomic_add). No CPU and no transport has it for all objects, so the
// caller computes the sum and stores it by compare-and-swap. It is atomic with all other operations on the object.
#pragma once

#include "op/amo.hpp"

namespace oshen::op {

template <class T>
inline T atomic_fetch_add_real(call_site at, T* dest, T value, int pe) {
  using number = word_of<T>;
  number* const object = reinterpret_cast<number*>(dest);
  number expected = atomic_fetch(at, object, pe);
  for (;;) {
    const T old = std::bit_cast<T>(expected);
    const number seen = atomic_compare_swap(at, object, expected, std::bit_cast<number>(old + value), pe);
    if (seen == expected) return old;
    expected = seen;
  }
}

}  // namespace oshen::op
