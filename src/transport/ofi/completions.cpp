// What the provider has done, and what comes in.
#include <string.h>

#include "transport/ofi/ofi.hpp"

namespace oshen::transport::ofi {
namespace {

constexpr std::size_t at_once = 16;

void acknowledge(ofi_instance& me) {
  if (me.n_due == 0) return;
  static_cast<void>(write_packet(me, nullptr, me.due_pe, packet_kind::acknowledgement, signal_change::set, nullptr, 0,
                                 if_full::keep_copy));
}

void note_due(ofi_instance& me, int pe, std::uint64_t stream) {
  if (stream == 0) return;
  if (me.n_due != 0 && (me.due_pe != pe || me.due_stream != stream)) acknowledge(me);
  me.due_pe = pe;
  me.due_stream = stream;
  ++me.n_due;
}

// The bytes that came along, and behind them the word.
void signal(ofi_instance& me, const packet& head, const char* body) {
  signal_packet what;
  if (head.bytes < sizeof what) return;
  memcpy(&what, body, sizeof what);
  const std::size_t bytes = head.bytes - sizeof what;
  if (!me.memory.holds(what.place, 8) || what.place % 8 != 0) return;
  if (bytes != 0 && !me.memory.holds(what.data_place, bytes)) return;
  if (bytes != 0) deliver(me.memory.base + what.data_place, body + sizeof what, bytes);
  const bool is_added = (head.marks & adds) != 0;
  deliver_signal(me.memory, what.place, is_added ? signal_change::add : signal_change::set, what.value);
}

// The peer has handled `n` messages of a stream of ours. Its signals went the same way.
void take_acknowledgement(const receipts& r) {
  auto* s = reinterpret_cast<ofi_stream*>(r.acknowledged);
  s->unacknowledged.fetch_sub(r.n_acknowledged, std::memory_order_release);
}

// Whoever is no PE of this job does not know the token; what it sends is dropped.
void hear(ofi_instance& me, const task& t, std::size_t bytes) {
  packet head;
  receipts r{};
  if (bytes < sizeof head) return;
  memcpy(&head, t.buffer, sizeof head);
  const std::size_t before = sizeof head + ((head.marks & has_receipts) != 0 ? sizeof r : 0);
  if (head.token != me.token || head.from_pe < 0 || head.from_pe >= me.how.n_pes || before > bytes) return;
  memcpy(&r, t.buffer + sizeof head, before - sizeof head);
  if (before + head.bytes + r.address_bytes > bytes) return;
  const char* body = t.buffer + before;
  if (r.n_acknowledged != 0) take_acknowledgement(r);
  if (head.kind == packet_kind::acknowledgement) return;
  if (r.address_bytes != 0) static_cast<void>(introduce(me, head.from_pe, body + head.bytes, r.address_bytes));
  note_due(me, head.from_pe, r.from_stream);  // before it is handled: an answer takes the acknowledgement with it
  if (head.kind == packet_kind::signal) signal(me, head, body);
  else if (head.kind == packet_kind::key_wanted) answer_key(me, head.from_pe, body);
  else if (head.kind == packet_kind::key) take_key(me, head.from_pe, body);
  else me.how.on_message(me.how.owner, head.from_pe, body, head.bytes);
}

bool post_receive(ofi_instance& me, task* t) {
  t->kind = task_kind::receive;
  return fi_recv(me.endpoint, t->buffer, sizeof t->buffer, nullptr, FI_ADDR_UNSPEC, &t->context) == 0;
}

void finish(ofi_instance& me, task* t) {
  ofi_stream* s = t->on;
  if (t->left != nullptr) t->left->left.fetch_sub(1, std::memory_order_release);
  const bool counted = t->kind != task_kind::send;
  task* behind = t->behind;
  if (behind != nullptr && behind->left_before.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    static_cast<void>(write_packet(me, s, behind->pe, packet_kind::signal, behind->change, &behind->signal,
                                   sizeof behind->signal, if_full::keep_copy));
    give_back(me, behind);
  }
  give_back(me, t);
  if (counted) s->moving.fetch_sub(1, std::memory_order_release);  // last: the stream may be closed now
}

void take(ofi_instance& me, const fi_cq_data_entry& entry) {
  // a put came in
  if ((entry.flags & (FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA)) != 0 && (entry.flags & FI_RECV) == 0) return;
  auto* t = static_cast<task*>(entry.op_context);
  if (t == nullptr) return;
  if (t->kind != task_kind::receive) return finish(me, t);
  hear(me, *t, entry.len);
  acknowledge(me);
  if (!post_receive(me, t)) give_back(me, t);  // one buffer fewer
}

// An operation that failed ends the way to all: who waits learns it from the next call.
void take_error(ofi_instance& me) {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(me.completions, &entry, 0) < 0) return;
  auto* t = static_cast<task*>(entry.op_context);
  if (t != nullptr && t->kind == task_kind::receive) return;  // at the end, when receives are cancelled
  me.error.store(entry.err != 0 ? entry.err : FI_EOTHER, std::memory_order_relaxed);
}

}  // namespace

bool post_receives(ofi_instance& me) {
  for (int i = 0; i < receives; ++i) {
    task* t = take_task(me);
    if (t == nullptr || !post_receive(me, t)) return false;
  }
  return true;
}

int read_completions(ofi_instance& me) {
  fi_cq_data_entry entries[at_once];
  const ssize_t n = fi_cq_read(me.completions, entries, at_once);
  if (n == -FI_EAVAIL) take_error(me);
  for (ssize_t i = 0; i < n; ++i) take(me, entries[i]);
  return n > 0 ? static_cast<int>(n) : 0;
}

}  // namespace oshen::transport::ofi
