#include "op/strided.hpp"

namespace oshen::op {

std::size_t extent(call_site at, const char* argument, std::ptrdiff_t stride, std::size_t size, std::size_t count) {
  if (stride < 1 || static_cast<std::size_t>(stride) < size)
    bad_argument(at, "%s = %td: expected a stride of at least %zu elements", argument, stride, size);
  std::size_t last = 0, elements = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(stride), count - 1, &last) ||
      __builtin_add_overflow(last, size, &elements) || elements > SIZE_MAX / 32)
    bad_argument(at, "%s = %td: %zu blocks with this stride exceed the address space", argument, stride, count);
  return elements;
}

}  // namespace oshen::op
