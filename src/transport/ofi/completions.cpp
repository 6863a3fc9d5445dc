// Completions of this PE's operations, and messages that arrive.
#include <string.h>

#include "transport/ofi/ofi.hpp"

namespace oshen::transport::ofi {
namespace {

constexpr std::size_t completions_at_once = 16;
constexpr int reads_at_once = max_due_acks / completions_at_once;

// Each message takes along what is due to its PE. If one cannot be sent, the endpoint is broken or there is no memory.
struct ack_sender {
  ofi_instance& home;

  turns& turns_of(int pe) const { return home.peers[pe].signal_turns; }
  bool acknowledge(int pe) const {
    const message m{packet_kind::acknowledgement, signal_op::set, nullptr, 0};
    return send_message(home, nullptr, pe, m, if_full::queue) == outcome::done;
  }
};

// Stores the bytes of an eager put, then updates the signal.
void handle_signal(ofi_instance& me, const packet& head, const char* body) {
  signal_packet s;
  if (head.bytes < sizeof s) return;
  memcpy(&s, body, sizeof s);
  const std::size_t bytes = head.bytes - sizeof s;
  if (!me.memory.contains(s.signal, 8) || s.signal % 8 != 0) return;
  if (bytes != 0 && !me.memory.contains(s.data_offset, bytes)) return;
  if (bytes != 0) deliver(me.memory.base + s.data_offset, body + sizeof s, bytes);
  const bool is_added = (head.marks & adds) != 0;
  deliver_signal(me.memory, s.signal, is_added ? signal_op::add : signal_op::set, s.value);
}

void handle(ofi_instance& me, const packet& head, const char* body) {
  switch (head.kind) {
    case packet_kind::signal: return handle_signal(me, head, body);
    case packet_kind::key_request: return reply_key(me, head.from_pe, body);
    case packet_kind::key: return take_key(me, head.from_pe, body);
    case packet_kind::message: return me.how.on_message(me.how.owner, head.from_pe, body, head.bytes);
    case packet_kind::acknowledgement: return;
  }
}

// Drops packets without this PE's token: a foreign process sent them.
void receive(ofi_instance& me, const pending_op& op, std::size_t bytes) {
  packet head;
  receipts r{};
  if (bytes < sizeof head) return;
  memcpy(&head, op.buffer, sizeof head);
  const std::size_t before = sizeof head + ((head.marks & has_receipts) != 0 ? sizeof r : 0);
  if (head.token != me.token || head.from_pe < 0 || head.from_pe >= me.how.n_pes || before > bytes) return;
  memcpy(&r, op.buffer + sizeof head, before - sizeof head);
  if (before + head.bytes + r.address_bytes > bytes) return;
  const char* body = op.buffer + before;
  if (r.n_acknowledged != 0) {
    me.peers[head.from_pe].open_signals.fetch_sub(r.n_acknowledged, std::memory_order_relaxed);
    take_acks(r.acknowledged, r.n_acknowledged);  // last: the stream may now be closed
  }
  if (r.address_bytes != 0) static_cast<void>(learn_address(me, head.from_pe, body + head.bytes, r.address_bytes));
  // Before handling, so that a reply takes the acknowledgement along.
  me.due.note(ack_sender{me}, head.from_pe, r.from_stream, {});
  handle(me, head, body);
}

// Posts a receive buffer, or stores it until the provider has room.
void post_receive(ofi_instance& me, pending_op* op) {
  op->kind = op_kind::receive;
  const ssize_t code =
      fi_recv(me.shared.endpoint, op->buffer, sizeof op->buffer, nullptr, FI_ADDR_UNSPEC, &op->context);
  if (code == 0) return;
  if (code != -FI_EAGAIN) static_cast<void>(outcome_of(me, code));
  op->next = me.unposted_receives;
  me.unposted_receives = op;
}

void post_stored_receives(ofi_instance& me) {
  pending_op* list = me.unposted_receives;
  me.unposted_receives = nullptr;
  while (list != nullptr) {
    pending_op* op = list;
    list = op->next;
    post_receive(me, op);
  }
}

// Sends the signal that waits for this put and for others, if this was the last of them.
void finish_put_before(ofi_stream* s, pending_op* signal) {
  if (signal->puts_before.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const message m{packet_kind::signal, signal->op, &signal->signal, sizeof signal->signal, &signal->epoch};
  static_cast<void>(send_message(*s->home, s, signal->pe, m, if_full::queue));
  release_op(*s->tx, signal);
}

void finish(tx_endpoint& tx, pending_op* op) {
  ofi_stream* s = op->on;
  const std::uint32_t epoch = op->epoch;
  if (op->local_done != nullptr) op->local_done->pending.fetch_sub(1, std::memory_order_release);
  const bool is_transfer = op->kind != op_kind::send;
  if (op->then_signal != nullptr) finish_put_before(s, op->then_signal);
  release_op(tx, op);
  if (is_transfer) s->transfers.leave(epoch);  // last: after it a flush may close the stream
}

void take(tx_endpoint& tx, const fi_cq_data_entry& entry) {
  const bool is_peers_put = (entry.flags & (FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA)) != 0 && (entry.flags & FI_RECV) == 0;
  auto* target = static_cast<completion_target*>(entry.op_context);
  if (is_peers_put || target == nullptr) return;
  if (target->kind == op_kind::direct) return finish_direct(target);
  auto* op = static_cast<pending_op*>(target);
  if (op->kind != op_kind::receive) return finish(tx, op);
  receive(*tx.home, *op, entry.len);
  post_receive(*tx.home, op);
}

// A failed operation disables all endpoints; waiters see the error on their next call.
void take_error(tx_endpoint& tx) {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(tx.completions, &entry, 0) < 0) return;
  const auto* target = static_cast<completion_target*>(entry.op_context);
  if (target != nullptr && target->kind == op_kind::receive) return;  // receives are cancelled at the end
  tx.home->error.store(entry.err != 0 ? entry.err : FI_EOTHER, std::memory_order_relaxed);
}

}  // namespace

bool post_receives(ofi_instance& me) {
  for (int i = 0; i < receive_buffers; ++i) {
    pending_op* op = take_op(me.shared);
    if (op == nullptr) return false;
    post_receive(me, op);
  }
  return !is_broken(me);
}

// Goes on while the queue was full of completions, so that signals that arrived together are acknowledged together.
int read_completions(tx_endpoint& tx) {
  ofi_instance& me = *tx.home;
  fi_cq_data_entry entries[completions_at_once];
  int n_read = 0;
  if (!tx.is_separate() && me.unposted_receives != nullptr) post_stored_receives(me);
  for (int reads = 0; reads < reads_at_once; ++reads) {
    const ssize_t n = fi_cq_read(tx.completions, entries, completions_at_once);
    if (n == -FI_EAVAIL) take_error(tx);
    for (ssize_t i = 0; i < n; ++i) take(tx, entries[i]);
    if (n > 0) n_read += static_cast<int>(n);
    if (n < static_cast<ssize_t>(completions_at_once)) break;
  }
  if (!tx.is_separate()) me.due.send_at_end(ack_sender{me}, n_read == 0);
  return n_read;
}

}  // namespace oshen::transport::ofi
