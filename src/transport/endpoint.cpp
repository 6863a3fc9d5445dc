#include "transport/endpoint.hpp"

#include <stdio.h>

namespace oshen::transport {
namespace {

outcome unless_requests_open(channel& c, outcome o, std::uint32_t epoch) {
  if (o != outcome::done) return o;
  return c.requests.have_passed(epoch) ? outcome::done : outcome::would_block;
}

void begin_flush(channel& c, flush_point& point) {
  if (point.stage == flush_point::flushes) return;
  point.stage = flush_point::flushes;
  point.request_epoch = c.requests.now();
}

outcome await_deferred(channel& c, flush_point& point) {
  if (const outcome o = c.failure.load(std::memory_order_acquire); o != outcome::done) return o;
  if (point.stage == flush_point::begins) {
    point.deferred_epoch = c.deferred.now();
    point.stage = flush_point::defers;
  }
  if (point.stage == flush_point::defers && !c.deferred.have_passed(point.deferred_epoch)) return outcome::would_block;
  return c.failure.load(std::memory_order_acquire);
}

}  // namespace

bool endpoint::open(const transport& with, open_params params, char* why, std::size_t room,
                    am_requests::connector connects, void* owner) {
  params.on_message = [](void* self, int from_pe, const void* bytes, std::size_t n) {
    static_cast<endpoint*>(self)->requests_.handle(from_pe, bytes, n);
  };
  params.request_wake = [](void* self) { static_cast<endpoint*>(self)->request_wake(); };
  params.owner = this;
  packs_.open();
  const bool has_queue = queue_.open(params.n_pes);
  const bool has_memory = requests_.open(params.n_pes, connects, owner) && has_queue;
  if (!has_memory) snprintf(why, room, "no memory");
  if (has_memory && open_transport::open(with, params, why, room)) return true;
  release_memory();
  return false;
}

void endpoint::release_memory() {
  queue_.close();
  requests_.close();
  self_ = nullptr;
}

void endpoint::close() {
  if (self_ == nullptr) return;
  table_->close(self_);
  release_memory();
}

// An `ordered` stream defers nothing: if only some of its operations were deferred, it would lose their order.
bool endpoint::open_channel(channel& c, unsigned options) {
  c.defers = (options & ordered) == 0;
  c.handle = table_->stream_open(self_, options);
  c.direct = c.handle != nullptr && table_->direct != nullptr ? table_->direct(c.handle) : nullptr;
  if (c.direct != nullptr) c.direct->detours = &queue_.detours();
  if (c.direct != nullptr) c.direct->sources = &c.sources;
  if (c.direct != nullptr && c.direct->direct_ops != nullptr) c.direct_ops = c.direct->direct_ops;
  c.keeps_order = c.direct != nullptr && c.direct->keeps_order;
  c.open_direct.store(c.direct, std::memory_order_relaxed);
  c.has_one_thread = (options & one_thread) != 0;
  c.is_separate = c.handle != nullptr && (options & separate) != 0 && table_->stream_progress != nullptr &&
                  table_->stream_progress(c.handle) >= 0;
  return c.handle != nullptr;
}

void endpoint::close_channel(channel& c) {
  packs_.release(c);
  if (c.handle != nullptr) table_->stream_close(c.handle);
  c.handle = nullptr;
}

// ---- order --------------------------------------------------------------------------------------------------

// Packs come first: they enter the stream or the queue of deferred operations. Those enter the stream when they are
// started. The fence or flush of the stream begins after them.
outcome endpoint::fence(channel& c, flush_point& point) {
  outcome o = point.stage == flush_point::begins ? packs_.send(c) : outcome::done;
  if (o == outcome::done) o = await_deferred(c, point);
  return o == outcome::done ? fence_issued(c, point) : o;
}

outcome endpoint::flush(channel& c, flush_point& point) {
  outcome o = outcome::done;
  if (point.stage == flush_point::begins) {
    point.n_changes = c.n_changes.load(std::memory_order_acquire);  // first: a pack that opens later is not covered
    o = packs_.send(c);
    point.sources_epoch = c.sources.now();
    c.sources.have_passed(point.sources_epoch);  // ends the epoch: later puts do not count
  }
  if (o == outcome::done) o = await_deferred(c, point);
  if (o == outcome::done) o = flush_issued(c, point);
  // A target may acknowledge a put before the transport has reported its local completion, which refers to `c`.
  if (o == outcome::done && !c.sources.have_passed(point.sources_epoch)) o = outcome::would_block;
  if (o == outcome::done) c.note_complete(point.n_changes);
  return o;
}

outcome endpoint::flush_sent(channel& c, flush_point& point) {
  const outcome o = await_deferred(c, point);
  return o == outcome::done ? flush_issued(c, point) : o;
}

outcome endpoint::fence_issued(channel& c, flush_point& point) {
  if (table_->fence == nullptr) return flush_issued(c, point);
  begin_flush(c, point);
  const outcome o = table_->fence(c.handle, point.handle);
  return query().messages_in_order ? o : unless_requests_open(c, o, point.request_epoch);
}

outcome endpoint::flush_issued(channel& c, flush_point& point) {
  begin_flush(c, point);
  return unless_requests_open(c, table_->flush(c.handle, point.handle), point.request_epoch);
}

// ---- operations ---------------------------------------------------------------------------------------------

outcome endpoint::start(channel& c, const far_op& op) {
  const put_signal_args& a = op.args;
  switch (op.kind) {
    case far_kind::put:
      return report(traffic::put, op.pe, a.bytes, table_->put(c.handle, op.pe, a.to, a.from, a.bytes, op.local));
    case far_kind::get:
      return report(traffic::get, op.pe, a.bytes, table_->get(c.handle, op.pe, op.result, a.to, a.bytes, op.local));
    case far_kind::put_signal:
      return report(traffic::put_signal, op.pe, a.bytes, table_->put_signal(c.handle, op.pe, a, op.local));
    case far_kind::atomic: break;
  }
  const auto& [at, what] = op.atomic;
  const auto bytes = static_cast<std::size_t>(what.bytes);
  if (what.by == agent::cpu && !query().has_cpu_atomics)
    return report(traffic::atomic_request, op.pe, bytes, requests_.send(c, op));
  return report(traffic::atomic, op.pe, bytes, table_->atomic(c.handle, op.pe, at, what, op.result, op.local));
}

outcome endpoint::start_deferred(deferred_op& deferred) {
  if (deferred.packed != nullptr) return packs_.start_deferred(deferred);
  return is_emulated(deferred.op) ? put_fence_signal(deferred) : start(*deferred.on, deferred.op);
}

// Each stage may have to be tried again.
outcome endpoint::put_fence_signal(deferred_op& deferred) {
  channel& c = *deferred.on;
  const far_op& op = deferred.op;
  const put_signal_args& a = op.args;
  outcome o = outcome::done;
  if (deferred.n_stages_done == 0) {
    if (a.bytes != 0) o = start(c, put_of(op.pe, a.to, a.from, a.bytes, op.local));
    if (o != outcome::done) return o;
    deferred.n_stages_done = 1;
  }
  if (deferred.n_stages_done == 1) {
    if (a.bytes != 0) o = fence_issued(c, deferred.point);
    if (o != outcome::done) return o;
    deferred.n_stages_done = 2;
  }
  const auto how = a.op == signal_op::set ? operation::set : operation::add;
  const atomic_op update{
      .op = how, .bytes = width::eight, .fetches = false, .value = a.value, .compare = 0, .by = a.by};
  o = start(c, atomic_of(op.pe, a.signal, update, nullptr));
  const bool has_no_put = a.bytes == 0 && op.local != nullptr;
  if (o == outcome::done && has_no_put) op.local->pending.fetch_sub(1, std::memory_order_release);
  return o;
}

// The caller of a blocking operation waits for its own counter. A non-blocking put is counted in its channel instead.
outcome endpoint::issue_later(channel& c, const far_op& op) {
  deferred_op deferred{.on = &c, .op = op, .moved_bytes = op.moved_bytes(), .is_blocking = op.local != nullptr};
  const bool lends = !deferred.is_blocking && op.has_source();
  if (lends) deferred.op.local = c.sources.enter_until_complete();
  outcome o = queue_.has(op.pe) ? outcome::would_block : start_deferred(deferred);
  if (o == outcome::would_block) o = queue_.add(deferred);
  if (o == outcome::would_block && lends) deferred.op.local->pending.fetch_sub(1, std::memory_order_release);
  return c.count(op, o);
}

// ---- progress -----------------------------------------------------------------------------------------------

int endpoint::progress() {
  const auto start = [](void* self, deferred_op& op) { return static_cast<endpoint*>(self)->start_deferred(op); };
  const int started = queue_.start(start, this) + packs_.send_aged();
  const int events = table_->progress(self_);
  if (events < 0) return events;
  const bool has_failed = queue_.has_failed() || packs_.has_failed();
  return started + events == 0 && has_failed ? -1 : started + events;
}

}  // namespace oshen::transport
