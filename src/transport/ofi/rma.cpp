// Puts and gets, and puts with a signal.
#include <stdlib.h>
#include <string.h>

#include "transport/ofi/ofi.hpp"

namespace oshen::transport::ofi {

namespace {

// The caller holds the lock that guards the count.
void count_one(std::atomic<std::uint32_t>& count) {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool is_of_pool(const tx_endpoint& tx, const pending_op* op) { return op >= tx.ops && op < tx.ops + tx.n_ops; }

}  // namespace

pending_op* take_op(tx_endpoint& tx) {
  os::locked hold(tx.pool);
  pending_op* op = tx.free_ops;
  if (op != nullptr)
    tx.free_ops = op->next;
  else if (tx.used_ops < tx.n_ops)
    op = &tx.ops[tx.used_ops++];
  if (op != nullptr) count_one(tx.n_taken);
  return op;
}

pending_op* take_any_op(tx_endpoint& tx) {
  if (pending_op* op = take_op(tx); op != nullptr) return op;
  auto* op = static_cast<pending_op*>(malloc(sizeof(pending_op)));
  os::locked hold(tx.pool);
  if (op != nullptr) count_one(tx.n_taken);
  return op;
}

void release_op(tx_endpoint& tx, pending_op* op) {
  os::locked hold(tx.pool);
  count_one(tx.n_free);
  if (!is_of_pool(tx, op)) return free(op);
  op->next = tx.free_ops;
  tx.free_ops = op;
}

outcome outcome_of(ofi_instance& me, ssize_t code) {
  if (code == 0) return outcome::done;
  if (code == -FI_EAGAIN) return outcome::would_block;
  me.error.store(static_cast<int>(-code), std::memory_order_relaxed);
  return outcome::lost;
}

namespace {

// The part of a put or get that has not been started.
struct transfer {
  op_kind kind;
  int pe;
  std::uint64_t offset;  // in the peer's slice
  char* local;
  std::size_t bytes;
  completion* local_done;
  pending_op* then_signal = nullptr;
  std::uint32_t epoch = 0;
  bool has_signal = false;  // a write of a signal follows
};

void release_ops(tx_endpoint& tx, pending_op* list) {
  while (list != nullptr) {
    pending_op* op = list;
    list = op->next;
    release_op(tx, op);
  }
}

// A list of `n` operations, or null.
pending_op* take_ops(tx_endpoint& tx, std::uint32_t n) {
  pending_op* all = nullptr;
  for (; n > 0; --n) {
    pending_op* op = take_op(tx);
    if (op == nullptr) {
      release_ops(tx, all);
      return nullptr;
    }
    op->next = all;
    all = op;
  }
  return all;
}

// A put before a signal is copied if a message with both would be.
std::size_t longest_copied(const ofi_stream* s, const transfer& t) {
  return s->is_ordered && t.has_signal ? eager_bytes : copied_bytes;
}

// Moves the first chunk of `t` to `op`. The source of a short put is copied, so it is free at once.
void take_chunk(pending_op* op, ofi_stream* s, transfer& t) {
  const std::size_t n = s->home->memory.first_chunk(t.offset, t.bytes);
  op->on = s;
  op->epoch = t.epoch;
  op->local_done = t.local_done;
  op->kind = t.kind;
  op->pe = t.pe;
  op->offset = t.offset;
  op->local = t.local;
  op->bytes = static_cast<std::uint32_t>(n);
  op->then_signal = t.then_signal;
  if (t.kind == op_kind::put && n <= longest_copied(s, t)) {
    memcpy(op->buffer, t.local, n);
    op->local = op->buffer;
    op->local_done = nullptr;
  }
  t.offset += n;
  t.local += n;
  t.bytes -= n;
}

// Starts one chunk. The provider may refuse the first chunk, and then the call has no effect; later chunks are queued.
outcome start_chunk(tx_endpoint& tx, pending_op* op, bool is_first) {
  const bool may_go = is_first || !has_waiting(tx);
  const ssize_t code = may_go ? post(tx, op) : -FI_EAGAIN;
  if (code != -FI_EAGAIN || is_first) return outcome_of(*tx.home, code);
  queue_op(tx, op);
  return outcome::done;
}

// A transfer may take several operations of the provider: at most one region each, and at most its longest message.
outcome start(ofi_stream* s, transfer t) {
  ofi_instance& me = *s->home;
  tx_endpoint& tx = *s->tx;
  if (is_broken(me)) return outcome::lost;
  if (const outcome o = have_keys(me, t.pe, t.offset, t.bytes); o != outcome::done) return o;
  if (const outcome o = meet_peer(tx, t.pe); o != outcome::done) return o;
  note_route(tx, t.pe);
  const std::uint32_t chunks = me.memory.chunks_in(t.offset, t.bytes);
  pending_op* ops = take_ops(tx, chunks);
  if (ops == nullptr && tx.is_separate() && read_own_completions(tx) != 0) ops = take_ops(tx, chunks);
  if (ops == nullptr) return outcome::would_block;
  if (t.then_signal != nullptr) t.then_signal->puts_before.store(chunks, std::memory_order_relaxed);
  if (t.local_done != nullptr) t.local_done->pending.fetch_add(chunks - 1, std::memory_order_relaxed);
  t.epoch = s->transfers.enter(chunks);
  note_begun(tx);
  for (bool is_first = true; ops != nullptr; is_first = false) {
    pending_op *op = ops, *rest = op->next;
    take_chunk(op, s, t);
    const bool copied = op->local == op->buffer;  // `op` may be reused once it has started
    if (const outcome o = start_chunk(tx, op, is_first); o != outcome::done) {
      if (is_first && t.local_done != nullptr) t.local_done->pending.fetch_sub(chunks - 1, std::memory_order_relaxed);
      if (is_first) s->transfers.leave(t.epoch, chunks);
      release_ops(tx, ops);
      return o;
    }
    if (copied && t.local_done != nullptr) t.local_done->pending.fetch_sub(1, std::memory_order_release);
    ops = rest;
  }
  return outcome::done;
}

}  // namespace

outcome atomic(stream* on, int pe, std::uint64_t at, const atomic_op& op, void* result, completion* local) {
  ofi_stream* s = own(on);
  ofi_instance& me = *s->home;
  tx_endpoint& tx = *s->tx;
  if (is_broken(me)) return outcome::lost;
  if (const outcome o = have_keys(me, pe, at, static_cast<std::size_t>(op.bytes)); o != outcome::done) return o;
  if (const outcome o = meet_peer(tx, pe); o != outcome::done) return o;
  if (op.by != agent::card_here) note_route(tx, pe);
  pending_op* p = take_op(tx);
  if (p == nullptr && tx.is_separate() && read_own_completions(tx) != 0) p = take_op(tx);
  if (p == nullptr) return outcome::would_block;
  p->on = s;
  p->local_done = local;
  p->kind = op_kind::atomic;
  p->pe = pe;
  p->offset = at;
  p->local = static_cast<char*>(result);
  p->bytes = static_cast<std::uint32_t>(op.bytes);
  p->then_signal = nullptr;
  p->change = op;
  p->epoch = s->transfers.enter();
  const std::uint32_t epoch = p->epoch;
  note_begun(tx);
  const outcome o = outcome_of(me, post(tx, p));
  if (o == outcome::done) return o;
  s->transfers.leave(epoch);
  release_op(tx, p);
  return o;
}

namespace {

// Sends the bytes and the signal in one message.
outcome send_eager(ofi_stream* s, int pe, const signal_packet& signal, const put_signal_args& args, completion* local) {
  char body[sizeof signal + eager_bytes];
  memcpy(body, &signal, sizeof signal);
  if (args.bytes != 0) memcpy(body + sizeof signal, args.from, args.bytes);
  const message m{packet_kind::signal, args.op, body, sizeof signal + args.bytes};
  const outcome o = send_message(*s->home, s, pe, m, if_full::refuse);
  if (o == outcome::done && local != nullptr) local->pending.fetch_sub(1, std::memory_order_release);
  return o;
}

// For providers that keep no order: the signal is sent when the bytes are in the target's memory.
outcome put_then_signal(ofi_stream* s, transfer t, const signal_packet& signal, signal_op op) {
  t.then_signal = take_op(*s->tx);
  if (t.then_signal == nullptr) return outcome::would_block;
  t.then_signal->pe = t.pe;
  t.then_signal->op = op;
  t.then_signal->signal = signal;
  const std::uint32_t epoch = s->signals.enter();
  t.then_signal->epoch = epoch;
  const outcome o = start(s, t);
  if (o != outcome::done) s->signals.leave(epoch), release_op(*s->tx, t.then_signal);
  return o;
}

// On an ordered stream whose signals are writes, all signals that are set must be: a message would be handled after a
// later write. The signal must start if the put does. So if it is not accepted it is queued.
outcome put_then_write_signal(ofi_stream* s, int pe, const put_signal_args& args, completion* local) {
  ofi_instance& me = *s->home;
  tx_endpoint& tx = *s->tx;
  if (is_broken(me)) return outcome::lost;
  if (has_waiting(tx)) return outcome::would_block;
  if (const outcome o = have_keys(me, pe, args.signal, sizeof args.value); o != outcome::done) return o;
  if (const outcome o = meet_peer(tx, pe); o != outcome::done) return o;
  note_route(tx, pe);
  pending_op* op = take_op(tx);
  if (op == nullptr) return outcome::would_block;
  auto* from = static_cast<char*>(const_cast<void*>(args.from));
  transfer data{op_kind::put, pe, args.to, from, args.bytes, local};
  data.has_signal = true;
  const outcome o = args.bytes == 0 ? outcome::done : start(s, data);
  if (o != outcome::done) {
    release_op(tx, op);
    return o;
  }
  std::uint64_t value = args.value;
  transfer t{op_kind::put, pe, args.signal, reinterpret_cast<char*>(&value), sizeof value, nullptr};
  t.epoch = s->transfers.enter();
  take_chunk(op, s, t);
  if (args.bytes == 0 && local != nullptr) local->pending.fetch_sub(1, std::memory_order_release);
  const ssize_t code = has_waiting(tx) ? -FI_EAGAIN : post(tx, op);
  if (code == -FI_EAGAIN) {
    queue_op(tx, op);
    return outcome::done;
  }
  return outcome_of(me, code);  // after an error the endpoint is unusable
}

outcome start_put_signal(ofi_stream* s, int pe, const put_signal_args& args, completion* local) {
  ofi_instance& me = *s->home;
  if (s->is_ordered && me.signals_by_writes && args.op == signal_op::set)
    return put_then_write_signal(s, pe, args, local);
  const signal_packet signal{.signal = args.signal, .value = args.value, .data_offset = args.to};
  if (args.bytes <= eager_bytes) return send_eager(s, pe, signal, args, local);
  auto* from = static_cast<char*>(const_cast<void*>(args.from));
  const transfer t{op_kind::put, pe, args.to, from, args.bytes, local};
  if (!me.in_order) return put_then_signal(s, t, signal, args.op);
  // Both operations must start, or none. So a message that is not accepted is queued; it cannot overtake the put.
  if (has_waiting(*s->tx)) return outcome::would_block;
  if (const outcome o = start(s, t); o != outcome::done) return o;
  return send_message(me, s, pe, {packet_kind::signal, args.op, &signal, sizeof signal}, if_full::queue);
}

}  // namespace

namespace {

ssize_t write(const tx_endpoint& tx, const pending_op* op, const fi_msg_rma& what) {
  ofi_instance& me = *tx.home;
  const std::uint64_t flags = FI_COMPLETION | (op->on->is_ordered ? 0 : FI_DELIVERY_COMPLETE);
  if (!me.announces.load(std::memory_order_relaxed)) return fi_writemsg(tx.endpoint, &what, flags);
  const ssize_t code = fi_writemsg(tx.endpoint, &what, flags | FI_REMOTE_CQ_DATA);
  if (code != -FI_EBADFLAGS) return code;
  me.announces.store(false, std::memory_order_relaxed);  // the provider claims remote CQ data but refuses it
  return fi_writemsg(tx.endpoint, &what, flags);
}

}  // namespace

ssize_t post_rma(tx_endpoint& tx, pending_op* op) {
  ofi_instance& me = *tx.home;
  const peer& p = me.peers[op->pe];
  const int region = me.memory.region_of(op->offset);
  iovec here{op->local, op->bytes};
  fi_rma_iov there{p.keys[region].origin + op->offset, op->bytes, p.keys[region].key};
  fi_msg_rma what{};
  what.msg_iov = &here;
  what.iov_count = 1;
  what.addr = address_of(tx, op->pe);
  what.rma_iov = &there;
  what.rma_iov_count = 1;
  what.context = &op->context;
  return op->kind == op_kind::get ? fi_readmsg(tx.endpoint, &what, FI_COMPLETION) : write(tx, op, what);
}

outcome put(stream* s, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local) {
  return start(own(s), {op_kind::put, pe, to, static_cast<char*>(const_cast<void*>(from)), bytes, local});
}

outcome get(stream* s, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local) {
  return start(own(s), {op_kind::get, pe, from, static_cast<char*>(to), bytes, local});
}

outcome put_signal(stream* on, int pe, const put_signal_args& args, completion* local) {
  ofi_stream* s = own(on);
  if (s->is_ordered) return start_put_signal(s, pe, args, local);
  std::atomic<std::uint32_t>& n_open = s->home->peers[pe].open_signals;
  if (n_open.load(std::memory_order_relaxed) >= max_open_signals) return outcome::would_block;
  n_open.fetch_add(1, std::memory_order_relaxed);
  const outcome o = start_put_signal(s, pe, args, local);
  if (o != outcome::done) n_open.fetch_sub(1, std::memory_order_relaxed);
  return o;
}

}  // namespace oshen::transport::ofi
