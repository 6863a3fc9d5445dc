#include "transport/atomic.hpp"

namespace oshen::transport {

std::uint64_t apply(void* object, const atomic_op& op) {
  if (op.bytes == width::eight) return apply_to(*static_cast<std::uint64_t*>(object), op.op, op.value, op.compare);
  return apply_to(*static_cast<std::uint32_t*>(object), op.op, static_cast<std::uint32_t>(op.value),
                  static_cast<std::uint32_t>(op.compare));
}

}  // namespace oshen::transport
