// Messages that leave this PE, and the queue of operations that the provider has not accepted yet.
#include <stdlib.h>
#include <string.h>

#include "transport/ofi/ofi.hpp"

namespace oshen::transport::ofi {
namespace {

// True for a short flag of a collective. The provider copies it and reports no completion, and not even an error.
bool needs_no_completion(const tx_endpoint& tx, const pending_op* op) {
  return op->kind == op_kind::send && op->is_flag && op->bytes <= tx.home->info->tx_attr->inject_size;
}

void take_due(ofi_instance& me, int pe, receipts& r) {
  const auto due = me.due.take(pe);
  r.acknowledged = due.stream;
  r.n_acknowledged = due.n;
}

// A signal takes along what an earlier call left due to its target. If another thread reads completions just now, it
// finds that, too.
void take_due_for_signal(ofi_instance& me, int pe, receipts& r) {
  me.peers[pe].signal_turns.sent();
  if (!me.due.has_left() || !me.shared.reading.try_lock()) return;
  take_due(me, pe, r);
  me.due.note_left();
  me.shared.reading.unlock();
}

// A message that is sent from within a handler (`is_reply`) takes along the acknowledgements that are due.
receipts receipts_for(ofi_instance& me, int pe, packet_kind kind, const ofi_stream* expects, std::uint32_t epoch,
                      bool is_reply) {
  receipts r{};
  const bool is_request = kind == packet_kind::key_request;
  r.from_stream = ack_name(expects, epoch);
  if (expects != nullptr || is_request) r.address_bytes = static_cast<std::uint32_t>(me.own_address_bytes);
  if (is_reply && !is_request) take_due(me, pe, r);
  if (expects != nullptr && kind == packet_kind::signal && !expects->tx->is_separate()) take_due_for_signal(me, pe, r);
  return r;
}

char* append(char* end, const void* from, std::size_t bytes) {
  if (bytes != 0) memcpy(end, from, bytes);
  return end + bytes;
}

void write_packet(ofi_instance& me, pending_op* op, const message& m, const receipts& r) {
  packet head{};
  head.token = me.peers[op->pe].token;
  head.from_pe = me.how.pe;
  head.bytes = static_cast<std::uint16_t>(m.bytes);
  head.kind = m.kind;
  if (m.op == signal_op::add) head.marks |= adds;
  if (r.address_bytes != 0 || r.n_acknowledged != 0) head.marks |= has_receipts;
  char* end = append(op->buffer, &head, sizeof head);
  if ((head.marks & has_receipts) != 0) end = append(end, &r, sizeof r);
  end = append(end, m.body, m.bytes);
  end = append(end, me.own_address, r.address_bytes);
  op->bytes = static_cast<std::uint32_t>(end - op->buffer);
}

}  // namespace

namespace {

// The count comes first, because the operation may be complete when the call returns (direct.cpp).
ssize_t post_counted(tx_endpoint& tx, pending_op* op) {
  const bool is_read = op->kind == op_kind::get || (op->kind == op_kind::atomic && op->local != nullptr);
  if (tx.n_holding.load(std::memory_order_relaxed) != 0) return -FI_EAGAIN;
  std::atomic<std::uint64_t>& posted = is_read ? tx.posted_reads : tx.posted_writes;
  posted.fetch_add(1, std::memory_order_relaxed);
  const ssize_t code = op->kind == op_kind::atomic ? post_atomic(tx, op) : post_rma(tx, op);
  if (code != 0) posted.fetch_sub(1, std::memory_order_relaxed);
  return code;
}

}  // namespace

ssize_t post(tx_endpoint& tx, pending_op* op) {
  if (op->kind != op_kind::send) return post_counted(tx, op);
  const fi_addr_t to = address_of(tx, op->pe);
  if (needs_no_completion(tx, op)) return fi_inject(tx.endpoint, op->buffer, op->bytes, to);
  const iovec here{op->buffer, op->bytes};
  const fi_msg what{&here, nullptr, 1, to, &op->context, 0};
  return fi_sendmsg(tx.endpoint, &what, FI_COMPLETION);
}

outcome send_message(ofi_instance& me, ofi_stream* s, int pe, const message& m, if_full full) {
  tx_endpoint& tx = s != nullptr ? *s->tx : me.shared;
  if (is_broken(me)) return outcome::lost;
  if (full == if_full::refuse && has_waiting(tx)) return outcome::would_block;
  if (const outcome o = meet_peer(tx, pe); o != outcome::done) return o;
  pending_op* op = full == if_full::refuse ? take_op(tx) : take_any_op(tx);
  if (op == nullptr) return full == if_full::refuse ? outcome::would_block : outcome::failed;
  const bool has_reply = m.kind == packet_kind::message;  // the endpoint waits for it
  ofi_stream* const expects = s != nullptr && !s->is_ordered && !has_reply ? s : nullptr;
  op->on = nullptr;
  op->local_done = nullptr;
  op->then_signal = nullptr;
  op->kind = op_kind::send;
  op->is_flag = m.kind == packet_kind::signal && s != nullptr && s->is_ordered;
  op->pe = pe;
  const std::uint32_t epoch = m.counted_epoch != nullptr ? *m.counted_epoch
                              : expects != nullptr       ? expects->signals.enter()
                                                         : 0;
  const receipts r = receipts_for(me, pe, m.kind, expects, epoch, s == nullptr);
  write_packet(me, op, m, r);
  note_begun(tx);
  const bool is_over = needs_no_completion(tx, op);  // otherwise `op` may be reused once it is posted
  const ssize_t code = has_waiting(tx) ? -FI_EAGAIN : post(tx, op);
  if (code == 0) {
    if (is_over) release_op(tx, op);
    return outcome::done;
  }
  // The message carries acknowledgements now, so it must leave.
  if (code == -FI_EAGAIN && (full == if_full::queue || r.n_acknowledged != 0)) {
    queue_op(tx, op);
    return outcome::done;
  }
  if (expects != nullptr && m.counted_epoch == nullptr) expects->signals.leave(epoch);
  release_op(tx, op);
  return outcome_of(me, code);
}

void queue_op(tx_endpoint& tx, pending_op* op) {
  os::locked hold(tx.pool);
  op->next = nullptr;
  *tx.waiting_end = op;
  tx.waiting_end = &op->next;
  tx.n_queued.fetch_add(1, std::memory_order_release);
}

namespace {

// Posts the first operation of the queue, under the lock so that the order stays. False: the provider accepted none.
// `over` receives the operation if it needs no completion, otherwise null.
bool send_first(tx_endpoint& tx, pending_op*& over) {
  os::locked hold(tx.pool);
  pending_op* op = tx.waiting;
  if (op == nullptr) return false;
  pending_op* next = op->next;  // `op` may be reused once it is posted
  over = needs_no_completion(tx, op) ? op : nullptr;
  if (const ssize_t code = post(tx, op); code != 0) {
    static_cast<void>(outcome_of(*tx.home, code));
    return false;
  }
  tx.waiting = next;
  if (tx.waiting == nullptr) tx.waiting_end = &tx.waiting;
  tx.n_sent.fetch_add(1, std::memory_order_release);
  return true;
}

}  // namespace

int send_waiting(tx_endpoint& tx) {
  int sent = 0;
  pending_op* over = nullptr;
  while (has_waiting(tx) && send_first(tx, over)) {
    if (over != nullptr) release_op(tx, over);
    ++sent;
  }
  return sent;
}

}  // namespace oshen::transport::ofi
