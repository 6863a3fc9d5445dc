// The operations of reductions and scans, for every type on which they are defined. The compiler derives the kernel
// from the C++ type, so an unsigned maximum cannot become a signed one.
#pragma once

#include <cstddef>
#include <type_traits>

namespace oshen::coll {

struct op_and {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct op_or {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct op_xor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct op_max {
  template <class T>
  static T apply(T a, T b) {
    return b > a ? b : a;
  }
};
struct op_min {
  template <class T>
  static T apply(T a, T b) {
    return b < a ? b : a;
  }
};

// Integers wrap around: signed arithmetic is done on the unsigned type, whose overflow is defined.
template <class T>
struct wrapping {
  using type = T;
};
template <class T>
  requires std::is_integral_v<T>
struct wrapping<T> {
  using type = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
};

struct op_sum {
  template <class T>
  static T apply(T a, T b) {
    using W = typename wrapping<T>::type;
    return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  }
};
struct op_prod {
  template <class T>
  static T apply(T a, T b) {
    using W = typename wrapping<T>::type;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
};

template <class Op, class T>
void combine(void* into, const void* from, std::size_t elements) {
  T* __restrict a = static_cast<T*>(into);
  const T* __restrict b = static_cast<const T*>(from);
  for (std::size_t i = 0; i < elements; ++i) a[i] = Op::apply(a[i], b[i]);
}

}  // namespace oshen::coll
