// Puts, gets, signals and messages that leave this PE. put, get, put_signal and flush take the lock of a worker; the
// caller holds it for the other functions. Signals and messages leave by the shared worker.
#include <stdlib.h>
#include <string.h>

#include "transport/ucx/ucx.hpp"

namespace oshen::transport::ucx {
namespace {

enum class direction : std::uint8_t { put, get };

// The part of a put or get that has not been started.
struct transfer {
  direction kind;
  int pe;
  std::uint64_t offset;  // in the peer's slice
  char* local;
  std::size_t bytes;
  completion* local_done;
};

// Starts the part of `t` that lies in its first region.
outcome start_chunk(ucx_stream& s, transfer& t, pending_op* op) {
  const worker& w = *op->home;
  const ucx_instance& me = *w.home;
  const connection& c = w.connections[t.pe];
  ucp_rkey_h key = c.keys[me.memory.region_of(t.offset)];
  const std::size_t n = me.memory.first_chunk(t.offset, t.bytes);
  prepare(op, op_kind::transfer, s, t.pe, t.local_done);
  const ucp_request_param_t how = parameters_for(op);
  char* const local = t.local;
  const std::uint64_t remote = me.peers[t.pe].base + t.offset;
  t.offset += n;
  t.local += n;
  t.bytes -= n;
  return started(op, t.kind == direction::put ? me.lib->put(c.endpoint, local, n, remote, key, &how)
                                              : me.lib->get(c.endpoint, local, n, remote, key, &how));
}

// Starts a whole transfer on a worker or no part of it: its keys and operations are available before the first chunk
// starts.
outcome start(ucx_stream& s, worker& w, transfer t) {
  ucx_instance& me = *w.home;
  if (is_broken(me)) return outcome::lost;
  if (const outcome o = connect_worker(w, t.pe); o != outcome::done) return o;
  if (const outcome o = have_keys(w, t.pe, t.offset, t.bytes); o != outcome::done) return o;
  std::uint32_t chunks = me.memory.chunks_in(t.offset, t.bytes);
  pending_op* ops = take_ops(w, chunks);
  if (ops == nullptr && w.is_separate() && progress_worker(w) != 0) ops = take_ops(w, chunks);
  if (ops == nullptr) return outcome::would_block;
  note_begun(w);
  if (t.local_done != nullptr) t.local_done->pending.fetch_add(chunks - 1, std::memory_order_relaxed);
  for (; ops != nullptr; --chunks) {
    pending_op* op = ops;
    ops = op->next;
    const outcome o = start_chunk(s, t, op);
    if (o == outcome::done) continue;
    if (t.local_done != nullptr) t.local_done->pending.fetch_sub(chunks - 1, std::memory_order_relaxed);
    release_ops(w, ops);
    return o;
  }
  return outcome::done;
}

// Starts a flush of one PE, or of every PE. Flushes need no watch: the caller waits, and hands over before it sleeps.
// They have operations beyond the pool, too: a thread that goes on putting, and takes each operation that becomes free,
// must not delay a flush.
outcome start_flush(ucx_stream& s, int pe) {
  worker& w = *s.rma;
  const library& lib = *w.lib;
  if (w.spare == nullptr && !find_spare(w, if_full::allocate)) return outcome::failed;
  if (s.to != nullptr && pe != every_pe) s.to[pe].has_puts = false;
  void* const begun = pe == every_pe ? lib.worker_flush(w.handle, &w.spare_how)
                                     : lib.ep_flush(w.connections[pe].endpoint, &w.spare_how);
  return begun == nullptr ? outcome::done : begin_spare(s, op_kind::flush, pe, begun, nullptr);
}

// Removes a target from the list of those that a flush of the stream has to flush, unless the list is full.
void forget_target(ucx_stream& s, int pe) {
  const int n = s.n_targets.load(std::memory_order_relaxed);
  for (int i = 0; i < n && n <= max_targets; ++i) {
    if (s.targets[i] != pe) continue;
    s.targets[i] = s.targets[n - 1];
    s.n_targets.store(n - 1, std::memory_order_release);
    return;
  }
}

// Done: all puts of the ordered stream to the PE are in its memory. Other targets may be slow.
outcome await_puts_to(ucx_stream& s, int pe) {
  if (s.to[pe].has_puts) {
    if (const outcome o = start_flush(s, pe); o != outcome::done) return o;
    forget_target(s, pe);
  }
  return s.to[pe].n_open == 0 ? outcome::done : outcome::would_block;
}

// The stream that expects acknowledgements; null: none.
ucx_stream* acknowledged(ucx_stream* s) { return s != nullptr && !s->is_ordered ? s : nullptr; }

void complete_header(const ucx_instance& me, packet& head, std::uint64_t expects, int to_pe) {
  if (head.token == 0) head.token = me.peers[to_pe].token;
  head.from_token = me.token;
  head.from_stream = expects;
  head.from_pe = me.how.pe;
}

// Sends the packet of `op`, which must not be used afterwards.
outcome send_packet(ucx_instance& me, pending_op* op, ucp_ep_h to, const void* body, std::size_t bytes) {
  ucp_request_param_t how = parameters_for(op);
  how.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
  how.flags = UCP_AM_SEND_FLAG_EAGER;
  // The target of a message that expects a reply may not have connected to this PE.
  const bool expects_reply = op->head.from_stream != 0 || op->head.kind == packet_kind::key_request;
  if (expects_reply) how.flags |= UCP_AM_SEND_FLAG_REPLY;
  return started(op, me.lib->am_send(to, message_id, &op->head, sizeof op->head, body, bytes, &how));
}

// Starts the put and a flush of its target, on the shared worker. The signal is sent after the flush
// (send_ready_signals).
outcome put_then_signal(ucx_stream& s, const transfer& t, const packet& head) {
  ucx_instance& me = *s.home;
  worker& w = me.shared;
  pending_op* op = take_op(w);
  if (op == nullptr) return outcome::would_block;
  if (const outcome o = start(s, w, t); o != outcome::done) {
    release_op(w, op);
    return o;
  }
  op->head = head;
  ucx_stream* const expects = acknowledged(&s);  // counted before the put can be complete
  complete_header(me, op->head, ack_name(expects, expects != nullptr ? s.signals.enter() : 0), t.pe);
  prepare(op, op_kind::flush_for_signal, s, t.pe, nullptr);
  const ucp_request_param_t how = parameters_for(op);
  const outcome o = started(op, me.lib->ep_flush(w.connections[t.pe].endpoint, &how));
  send_ready_signals(me);
  return o;
}

}  // namespace

void take_due(ucx_instance& me, packet& head, int to_pe) {
  me.peers[to_pe].signal_turns.sent();
  if (!me.due.has_left() || !me.receiving.try_lock()) return;
  const auto due = me.due.take(to_pe);
  head.acknowledged = due.stream;
  head.n_acknowledged = due.n;
  me.due.note_left();
  me.receiving.unlock();
}

void add_target(ucx_stream& s, int pe) {
  const int n = s.n_targets.load(std::memory_order_relaxed);
  for (int i = 0; i < n && i < max_targets; ++i)
    if (s.targets[i] == pe) return;
  if (n < max_targets) s.targets[n] = pe;
  if (n <= max_targets) s.n_targets.store(n + 1, std::memory_order_release);
}

// The target leaves the list last, so that another thread finds it or its flush.
outcome start_flushes(ucx_stream& s) {
  int n = s.n_targets.load(std::memory_order_relaxed);
  const bool all = n > max_targets;
  if (all) n = 1;
  while (n > 0) {
    --n;
    if (const outcome o = start_flush(s, all ? every_pe : s.targets[n]); o != outcome::done) return o;
    s.n_targets.store(n, std::memory_order_release);
  }
  return outcome::done;
}

outcome send(ucx_instance& me, ucx_stream* s, const message& m, if_full full) {
  if (is_broken(me)) return outcome::lost;
  const bool is_long = m.bytes > body_bytes, has_copy = is_long && m.copies;
  pending_op* op = has_copy ? nullptr : take_op(me.shared);
  if (op == nullptr && full == if_full::refuse && !has_copy) return outcome::would_block;
  if (op == nullptr) op = allocate_op(me.shared, has_copy ? m.bytes : 0);
  if (op == nullptr) return outcome::failed;
  // An acknowledgement proves that the body has left; without one, a flush needs the local completion.
  const bool lends = is_long && !has_copy && m.local_done == nullptr && s != nullptr && s->is_ordered;
  completion* const local_done = lends ? s->signals.enter_until_complete() : m.local_done;
  *op = {.next = nullptr,
         .home = &me.shared,
         .on = nullptr,
         .epoch = 0,
         .local_done = local_done,
         .pe = m.to_pe,
         .kind = op_kind::message,
         .head = m.head,
         .body = {}};
  s = acknowledged(s);
  const std::uint32_t epoch = s != nullptr ? s->signals.enter() : 0;
  complete_header(me, op->head, ack_name(s, epoch), m.to_pe);
  if (s != nullptr) take_due(me, op->head, m.to_pe);
  const void* body = m.body;
  if (m.bytes != 0 && (!is_long || has_copy))
    body = memcpy(has_copy ? reinterpret_cast<char*>(op + 1) : op->body, m.body, m.bytes);
  const outcome o = send_packet(me, op, m.endpoint, body, m.bytes);
  if (o != outcome::done && s != nullptr) s->signals.leave(epoch);
  if (o != outcome::done && lends) local_done->pending.fetch_sub(1, std::memory_order_release);
  return o;
}

void send_ready_signals(ucx_instance& me) {
  while (me.shared.ready_signals != nullptr) {
    pending_op* op = me.shared.ready_signals;
    me.shared.ready_signals = op->next;
    ucx_stream* s = op->on;
    const std::uint32_t epoch = op->epoch;
    const int pe = op->pe;
    op->kind = op_kind::message;
    op->on = nullptr;
    static_cast<void>(send_packet(me, op, me.shared.connections[pe].endpoint, nullptr, 0));
    leave(*s, pe, epoch);  // last; `signals` counts the signal until it is acknowledged
  }
}

outcome put(ucx_stream& s, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local) {
  worker& w = *s.rma;
  os::inline_locked hold(w.call_lock);
  const outcome o = start(s, w, {direction::put, pe, to, static_cast<char*>(const_cast<void*>(from)), bytes, local});
  if (o == outcome::done) note_change(s, pe);
  return o;
}

outcome get(ucx_stream& s, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local) {
  os::inline_locked hold(s.rma->call_lock);
  return start(s, *s.rma, {direction::get, pe, from, static_cast<char*>(to), bytes, local});
}

outcome put_signal(ucx_stream& s, int pe, const put_signal_args& args, completion* local) {
  ucx_instance& me = *s.home;
  packet head{};
  head.kind = packet_kind::signal;
  head.op = args.op;
  head.offset = args.to;
  head.signal = args.signal;
  head.value = args.value;
  os::inline_locked hold(me.shared.call_lock);
  if (s.is_ordered)
    if (const outcome o = await_puts_to(s, pe); o != outcome::done) return o;
  if (args.bytes <= eager_bytes)
    return send(me, &s, {pe, me.shared.connections[pe].endpoint, head, args.from, args.bytes, local}, if_full::refuse);
  auto* from = static_cast<char*>(const_cast<void*>(args.from));
  return put_then_signal(s, {direction::put, pe, args.to, from, args.bytes, local}, head);
}

// The first call starts the flushes; it takes the lock only if there are some. The flushes are part of what the stream
// has in progress, so they belong to an epoch that `point` covers. Acquire: if another thread has taken the last
// target, this one sees that its flush is in progress.
outcome flush(ucx_stream& s, stream_point& point) {
  if (is_broken(*s.home)) return outcome::lost;
  if (!point.begun && s.n_targets.load(std::memory_order_acquire) != 0) {
    os::inline_locked hold(s.rma->call_lock);
    if (const outcome o = start_flushes(s); o != outcome::done) return o;
  }
  if (!point.begun) point = {.begun = true, .epochs = {s.in_progress.now(), s.signals.now()}};
  if (!s.in_progress.have_passed(point.epochs[0]) || !s.signals.have_passed(point.epochs[1]))
    return outcome::would_block;
  note_flushed(s);
  return outcome::done;
}

}  // namespace oshen::transport::ucx
