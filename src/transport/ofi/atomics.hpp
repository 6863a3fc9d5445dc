// Atomic operations in libfabric's words.
#pragma once

#include <rdma/fi_atomic.h>

#include "transport/ofi/ofi.hpp"

namespace oshen::transport::ofi {

constexpr fi_op op_of(operation op) {
  constexpr fi_op by_operation[] = {FI_ATOMIC_READ, FI_ATOMIC_WRITE, FI_ATOMIC_WRITE, FI_CSWAP,
                                    FI_SUM,         FI_BAND,         FI_BOR,          FI_BXOR};
  static_assert(static_cast<int>(operation::bit_xor) == 7);
  return by_operation[static_cast<int>(op)];
}

// A width describes an operand completely (transport/atomic.hpp).
constexpr fi_datatype type_of(width bytes) { return bytes == width::eight ? FI_UINT64 : FI_UINT32; }

struct remote_object {
  fi_addr_t address;
  std::uint64_t at, key;
};

// The provider copies the operands. A null `of_completion`: only its counters tell of the operation.
ssize_t post_atomic_message(const tx_endpoint& tx, const remote_object& object, const atomic_op& op, void* result,
                            void* of_completion);

}  // namespace oshen::transport::ofi
