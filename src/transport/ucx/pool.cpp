// The operations of a worker that UCX has not completed: a pool of them, and what happens when they complete. The
// caller holds the lock of the worker.
#include <stdlib.h>

#include "transport/ucx/ucx.hpp"

namespace oshen::transport::ucx {
namespace {

// The caller holds the lock that guards the count.
void count_one(std::atomic<std::uint32_t>& count) {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

pending_op* uncounted_op(worker& w) {
  pending_op* op = w.free_ops;
  if (op != nullptr)
    w.free_ops = op->next;
  else if (w.used_ops < w.n_ops)
    op = &w.ops[w.used_ops++];
  if (op != nullptr) op->home = &w;
  return op;
}

pending_op* allocate_uncounted(worker& w, std::size_t bytes) {
  auto* op = static_cast<pending_op*>(malloc(sizeof(pending_op) + bytes));
  if (op != nullptr) op->home = &w;
  return op;
}

pending_op* counted(worker& w, pending_op* op) {
  if (op != nullptr) count_one(w.n_taken);
  return op;
}

void give_back(worker& w, pending_op* op) {
  if (op < w.ops || op >= w.ops + w.n_ops) return free(op);
  op->next = w.free_ops;
  w.free_ops = op;
}

// A failed operation never counts down its completion; flush tells waiters that the worker is broken. UCX cancels what
// is left when a worker closes, and streams are gone by then.
void finish(pending_op* op, ucs_status_t status) {
  worker& w = *op->home;
  if (status != UCS_OK && w.is_closing) return;
  if (status != UCS_OK) {
    note_error(*w.home, status);
    if (op->on != nullptr) op->on->n_targets.store(max_targets + 1, std::memory_order_release);  // none is flushed
  }
  if (status == UCS_OK && op->local_done != nullptr) op->local_done->pending.fetch_sub(1, std::memory_order_release);
  if (op->kind == op_kind::flush_for_signal && status == UCS_OK) {
    op->next = w.ready_signals;
    w.ready_signals = op;
    return;
  }
  ucx_stream* s = op->on;
  const std::uint32_t epoch = op->epoch;
  const int pe = op->pe;
  release_op(w, op);
  if (s != nullptr) leave(*s, pe, epoch);
}

// UCX's callback; it runs within progress.
void completed(void* request, ucs_status_t status, void* user) {
  auto* op = static_cast<pending_op*>(user);
  op->home->home->lib->request_free(request);
  finish(op, status);
}

}  // namespace

void leave(ucx_stream& s, int pe, std::uint32_t epoch) {
  if (s.to != nullptr && pe >= 0) --s.to[pe].n_open;
  s.in_progress.leave(epoch);
}

pending_op* take_op(worker& w) { return counted(w, uncounted_op(w)); }

pending_op* allocate_op(worker& w, std::size_t bytes) { return counted(w, allocate_uncounted(w, bytes)); }

pending_op* take_ops(worker& w, std::uint32_t n) {
  pending_op* all = nullptr;
  for (; n > 0; --n) {
    pending_op* op = take_op(w);
    if (op == nullptr) break;
    op->next = all;
    all = op;
  }
  if (n != 0) release_ops(w, all);
  return n == 0 ? all : nullptr;
}

void release_op(worker& w, pending_op* op) {
  count_one(w.n_free);
  give_back(w, op);
}

void release_ops(worker& w, pending_op* list) {
  while (list != nullptr) {
    pending_op* op = list;
    list = op->next;
    release_op(w, op);
  }
}

ucp_request_param_t parameters_for(pending_op* op) {
  ucp_request_param_t p{};
  p.op_attr_mask = usual_fields;
  p.cb.send = completed;
  p.user_data = op;
  p.memory_type = UCS_MEMORY_TYPE_HOST;
  return p;
}

void prepare_calls(worker& w) {
  w.spare_how = w.atomic_how[0] = w.atomic_how[1] = w.signal_how = parameters_for(nullptr);
  w.atomic_how[0].datatype = ucp_dt_make_contig(4);
  w.atomic_how[1].datatype = ucp_dt_make_contig(8);
  w.signal_how.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
  w.signal_how.flags = UCP_AM_SEND_FLAG_EAGER | UCP_AM_SEND_FLAG_REPLY;
}

void prepare(pending_op* op, op_kind kind, ucx_stream& s, int pe, completion* local) {
  op->kind = kind;
  op->on = &s;
  op->pe = pe;
  op->local_done = local;
  op->epoch = s.in_progress.enter();
  if (s.to != nullptr && pe != every_pe) ++s.to[pe].n_open;
}

outcome started(pending_op* op, ucs_status_ptr_t result) {
  if (result == nullptr) {
    finish(op, UCS_OK);
    return outcome::done;
  }
  if (!UCS_PTR_IS_ERR(result)) return outcome::done;
  note_error(*op->home->home, UCS_PTR_STATUS(result));
  if (op->on != nullptr) leave(*op->on, op->pe, op->epoch);
  release_op(*op->home, op);
  return outcome::lost;
}

bool find_spare(worker& w, if_full full) {
  if (w.spare == nullptr) w.spare = uncounted_op(w);
  if (w.spare == nullptr && full == if_full::allocate) w.spare = allocate_uncounted(w, 0);
  for (ucp_request_param_t* how : {&w.spare_how, &w.atomic_how[0], &w.atomic_how[1], &w.signal_how})
    how->user_data = w.spare;
  return w.spare != nullptr;
}

// The lock keeps the operation from completing before it is counted.
outcome begin_spare(ucx_stream& s, op_kind kind, int pe, ucs_status_ptr_t result, completion* local) {
  worker& w = *s.rma;
  if (UCS_PTR_IS_ERR(result)) {
    note_error(*w.home, UCS_PTR_STATUS(result));
    return outcome::lost;
  }
  prepare(counted(w, w.spare), kind, s, pe, local);
  w.spare = nullptr;
  return outcome::done;
}

void release_spare(worker& w) {
  if (w.spare != nullptr) give_back(w, w.spare);
  w.spare = nullptr;
}

}  // namespace oshen::transport::ucx
