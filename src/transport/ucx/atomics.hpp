// Atomic operations that the network card executes.
#pragma once

#include <string.h>

#include <iterator>

#include "transport/ucx/ucx.hpp"

namespace oshen::transport::ucx {

// UCX has no fetch and no set without a result: a fetch adds 0, and a set is a swap.
struct atomic_call {
  ucp_atomic_op_t op;
  bool has_result;
};
inline constexpr atomic_call atomic_calls[] = {
    {UCP_ATOMIC_OP_ADD, true},    // fetch
    {UCP_ATOMIC_OP_SWAP, true},   // set
    {UCP_ATOMIC_OP_SWAP, true},   // swap
    {UCP_ATOMIC_OP_CSWAP, true},  // compare_swap
    {UCP_ATOMIC_OP_ADD, false},  {UCP_ATOMIC_OP_AND, false}, {UCP_ATOMIC_OP_OR, false}, {UCP_ATOMIC_OP_XOR, false},
};
static_assert(static_cast<std::size_t>(operation::bit_xor) + 1 == std::size(atomic_calls));

// Where the operands stay until the operation is complete.
struct operands {
  std::uint64_t first;     // UCX's `buffer`
  std::uint64_t unwanted;  // a result for which the caller has no room
};
static_assert(sizeof(operands) <= body_bytes);

// Passes an atomic operation to UCX, which may use the spare operation. `result` may be null. A compare-and-swap has
// its new value in the buffer of the result.
[[gnu::always_inline]] inline ucs_status_ptr_t post_atomic(worker& w, const remote_end& there, const atomic_op& op,
                                                           void* result) {
  const atomic_call call = atomic_calls[static_cast<std::size_t>(op.op)];
  auto& kept = reinterpret_cast<operands&>(w.spare->body);
  ucp_request_param_t& how = w.atomic_how[op.bytes == width::eight];
  if (result == nullptr && call.has_result) result = &kept.unwanted;
  how.op_attr_mask = usual_fields | UCP_OP_ATTR_FIELD_DATATYPE;
  if (result != nullptr) {
    how.op_attr_mask |= UCP_OP_ATTR_FIELD_REPLY_BUFFER;
    how.reply_buffer = result;
  }
  kept.first = op.op == operation::fetch ? 0 : op.value;
  if (op.op == operation::compare_swap) [[unlikely]] {
    kept.first = op.compare;
    memcpy(result, &op.value, static_cast<std::size_t>(op.bytes));
  }
  return w.lib->atomic(there.endpoint, call.op, &kept.first, 1, there.at, there.key, &how);
}

}  // namespace oshen::transport::ucx
