// Atomic operations that the provider executes (agent::card).
#include "transport/ofi/atomics.hpp"

namespace oshen::transport::ofi {
namespace {

bool supports(fid_domain* domain, fi_datatype type, fi_op op, std::uint64_t kind) {
  fi_atomic_attr limits{};
  return fi_query_atomic(domain, type, op, &limits, kind) == 0 && limits.count >= 1;
}

}  // namespace

bool has_atomics(const tx_endpoint& tx) {
  const fi_info& info = *tx.home->info;
  if ((info.caps & FI_ATOMIC) == 0 || info.tx_attr->inject_size < 2 * sizeof(std::uint64_t)) return false;
  for (const fi_datatype type : {FI_UINT32, FI_UINT64}) {
    for (const fi_op op : {FI_SUM, FI_BAND, FI_BOR, FI_BXOR, FI_ATOMIC_WRITE})
      if (!supports(tx.domain, type, op, 0) || !supports(tx.domain, type, op, FI_FETCH_ATOMIC)) return false;
    if (!supports(tx.domain, type, FI_ATOMIC_READ, FI_FETCH_ATOMIC)) return false;
    if (!supports(tx.domain, type, FI_CSWAP, FI_COMPARE_ATOMIC)) return false;
  }
  return true;
}

ssize_t post_atomic_message(const tx_endpoint& tx, const remote_object& object, const atomic_op& op, void* result,
                            void* of_completion) {
  const std::uint64_t flags = FI_INJECT | (of_completion != nullptr ? FI_COMPLETION : 0);
  fi_ioc operand{const_cast<std::uint64_t*>(&op.value), 1}, compare{const_cast<std::uint64_t*>(&op.compare), 1};
  fi_ioc before{result, 1};
  const fi_rma_ioc target{object.at, 1, object.key};
  const fi_msg_atomic what{&operand,     nullptr,       1, object.address, &target, 1, type_of(op.bytes),
                           op_of(op.op), of_completion, 0};
  const fi_ops_atomic& calls = *tx.endpoint->atomic;
  if (op.op == operation::compare_swap)
    return calls.compwritemsg(tx.endpoint, &what, &compare, nullptr, 1, &before, nullptr, 1, flags);
  if (result != nullptr) return calls.readwritemsg(tx.endpoint, &what, &before, nullptr, 1, flags);
  return calls.writemsg(tx.endpoint, &what, flags | FI_DELIVERY_COMPLETE);
}

ssize_t post_atomic(tx_endpoint& tx, pending_op* op) {
  const peer& p = tx.home->peers[op->pe];
  const remote_key& k = p.keys[tx.home->memory.region_of(op->offset)];
  return post_atomic_message(tx, {address_of(tx, op->pe), k.origin + op->offset, k.key}, op->change, op->local,
                             &op->context);
}

}  // namespace oshen::transport::ofi
