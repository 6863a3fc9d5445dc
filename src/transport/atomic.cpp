#include "transport/atomic.hpp"

namespace oshen::transport {
std::uint64_t apply(void* object, const change& what) {
  if (what.bytes == width::eight)
    return apply_to(*static_cast<std::uint64_t*>(object), what.op, what.value, what.compare);
  return apply_to(*static_cast<std::uint32_t*>(object), what.op, static_cast<std::uint32_t>(what.value),
                  static_cast<std::uint32_t>(what.compare));
}

}  // namespace oshen::transport
