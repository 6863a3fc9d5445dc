#include "transport/endpoint.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "base/log.hpp"

namespace oshen::transport {
namespace {

outcome unless_requests_open(channel& c, outcome o, std::uint32_t epoch) {
  if (o != outcome::done) return o;
  return c.requests.have_passed(epoch) ? outcome::done : outcome::would_block;
}

// Several threads may raise a count at once; the highest value stays.
void raise_to(std::atomic<std::uint64_t>& count, std::uint64_t least) {
  std::uint64_t now = count.load(std::memory_order_relaxed);
  while (now < least && !count.compare_exchange_weak(now, least, std::memory_order_release)) {
  }
}

void begin_flush(channel& c, flush_point& point) {
  if (point.stage == flush_point::flushes) return;
  point.stage = flush_point::flushes;
  point.request_epoch = c.requests.now();
}

}  // namespace

bool endpoint::open(const transport& with, open_params params, char* why, std::size_t room, connector connects,
                    void* owner) {
  connects_ = connects;
  owner_ = owner;
  table_ = &with;
  slice_ = params.slice;
  slice_bytes_ = params.slice_bytes;
  n_pes_ = params.n_pes;
  for (int i = 0; i < max_requests; ++i) {
    requests_[i].next_free = i + 1 < max_requests ? i + 1 : -1;
    requests_[i].results = nullptr;
  }
  first_free_ = 0;
  params.on_message = on_message;
  params.request_wake = request_wake;
  params.owner = this;
  attributes_ = attributes{};
  n_unawaited_ = 0;
  has_failed_pack_.store(false, std::memory_order_relaxed);
  open_to_ = static_cast<std::uint16_t*>(calloc(static_cast<std::size_t>(params.n_pes), sizeof *open_to_));
  const bool has_memory = deferred_ops_.open(params.n_pes) && open_to_ != nullptr;
  if (!has_memory) snprintf(why, room, "no memory");
  if (has_memory && table_->open(params, &self_, &attributes_, why, room)) return true;
  release_memory();
  return false;
}

void endpoint::release_memory() {
  deferred_ops_.close();
  for (request& r : requests_) free(r.results);
  free(open_to_);
  open_to_ = nullptr;
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
  if (c.direct != nullptr) c.direct->detours = &deferred_ops_.detours();
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
  release_packs(c);
  if (c.handle != nullptr) table_->stream_close(c.handle);
  c.handle = nullptr;
}

// ---- atomics as AM requests ---------------------------------------------------------------------------------

// Less than 0: the PE has too many open requests, in all or towards this target. A target may have at most as many as
// are left for others. So each further stopped target takes half of the rest, and the first ones never take all.
int endpoint::take_request(int pe, bool is_awaited) {
  os::locked hold(lock_);
  const int left = max_unawaited_requests - n_unawaited_;
  const int limit = is_awaited ? max_requests_to_one : std::min(max_unawaited_requests_to_one, left);
  if (open_to_[pe] >= limit) return -1;
  const int number = first_free_;
  if (number < 0) return -1;
  first_free_ = requests_[number].next_free;
  ++open_to_[pe];
  if (!is_awaited) ++n_unawaited_;
  return number;
}

void endpoint::release_request(int number) {
  os::locked hold(lock_);
  request& r = requests_[number];
  r.next_free = first_free_;
  first_free_ = number;
  --open_to_[r.pe];
  if (r.local == nullptr) --n_unawaited_;
}

outcome endpoint::send_request(channel& c, const far_op& op) {
  const auto& [at, what] = op.atomic;
  const int number = take_request(op.pe, op.local != nullptr);
  if (number < 0) return outcome::would_block;
  const std::uint32_t epoch = c.requests.enter();  // before the reply can arrive
  requests_[number] = {.from = &c,
                       .pe = op.pe,
                       .epoch = epoch,
                       .result = op.result,
                       .results = nullptr,
                       .local = op.local,
                       .bytes = what.bytes,
                       .next_free = -1};
  const am_packet p{.kind = am_kind::request,
                    .op = what.op,
                    .bytes = what.bytes,
                    .number = number,
                    .at = at,
                    .value = what.value,
                    .compare = what.compare};
  const outcome o = table_->send(self_, c.handle, op.pe, &p, sizeof p);
  if (o == outcome::done) return o;
  c.requests.leave(epoch);
  release_request(number);
  return o;
}

void endpoint::note_card_change_here(channel& c) {
  raise_to(c.n_card_changes_here, c.n_changes.load(std::memory_order_acquire));
}

// On the target. The requester has checked the program's arguments, so a bad offset is an error of the transport.
void endpoint::handle_request(int from_pe, const void* bytes) {
  am_packet p;
  memcpy(&p, bytes, sizeof p);
  const auto size = static_cast<std::uint64_t>(p.bytes);
  if (p.at > slice_bytes_ - size || p.at % size != 0) {
    log::error("transport %s: a message of PE %d points out of this PE's memory; ignored", table_->name, from_pe);
    return;
  }
  p.value =
      apply(slice_ + p.at, {.op = p.op, .bytes = p.bytes, .fetches = true, .value = p.value, .compare = p.compare});
  p.kind = am_kind::reply;
  send_reply(from_pe, &p, sizeof p);
}

void endpoint::send_reply(int to_pe, const void* reply, std::size_t n) {
  if (connects_ != nullptr && connects_(owner_, to_pe) != outcome::done) return;
  static_cast<void>(table_->send(self_, nullptr, to_pe, reply, n));  // a dead requester needs no reply
}

void endpoint::handle_reply(const void* bytes) {
  am_packet p;
  memcpy(&p, bytes, sizeof p);
  if (p.number < 0 || p.number >= max_requests) return;
  const request& r = requests_[p.number];
  if (r.result != nullptr) memcpy(r.result, &p.value, static_cast<std::size_t>(r.bytes));
  end_request(p.number);
}

// The results of the request are in place.
void endpoint::end_request(int number) {
  const request r = requests_[number];
  release_request(number);
  if (r.local != nullptr) r.local->pending.fetch_sub(1, std::memory_order_release);
  r.from->requests.leave(r.epoch);  // last: after it a flush may close the channel
}

void endpoint::on_message(void* self, int from_pe, const void* bytes, std::size_t n) {
  auto& me = *static_cast<endpoint*>(self);
  am_kind kind;
  if (n < sizeof kind) return;
  memcpy(&kind, bytes, sizeof kind);
  if (kind == am_kind::pack) return me.handle_pack(from_pe, bytes, n);
  if (kind == am_kind::pack_reply) return me.handle_pack_reply(from_pe, bytes, n);
  if (n != sizeof(am_packet)) return;
  if (kind == am_kind::request)
    me.handle_request(from_pe, bytes);
  else
    me.handle_reply(bytes);
}

// ---- order --------------------------------------------------------------------------------------------------

outcome endpoint::await_deferred(channel& c, flush_point& point) {
  if (const outcome o = c.failure.load(std::memory_order_acquire); o != outcome::done) return o;
  if (point.stage == flush_point::begins) {
    point.deferred_epoch = c.deferred.now();
    point.stage = flush_point::defers;
  }
  if (point.stage == flush_point::defers && !c.deferred.have_passed(point.deferred_epoch)) return outcome::would_block;
  return c.failure.load(std::memory_order_acquire);
}

// Packs come first: they enter the stream or the queue of deferred operations. Those enter the stream when they are
// started. The fence or flush of the stream begins after them.
outcome endpoint::fence(channel& c, flush_point& point) {
  outcome o = point.stage == flush_point::begins ? send_packs(c) : outcome::done;
  if (o == outcome::done) o = await_deferred(c, point);
  return o == outcome::done ? fence_issued(c, point) : o;
}

outcome endpoint::flush(channel& c, flush_point& point) {
  outcome o = outcome::done;
  if (point.stage == flush_point::begins) {
    point.n_changes = c.n_changes.load(std::memory_order_acquire);  // first: a pack that opens later is not covered
    o = send_packs(c);
    point.sources_epoch = c.sources.now();
    c.sources.have_passed(point.sources_epoch);  // ends the epoch: later puts do not count
  }
  if (o == outcome::done) o = await_deferred(c, point);
  if (o == outcome::done) o = flush_issued(c, point);
  // A target may acknowledge a put before the transport has reported its local completion, which refers to `c`.
  if (o == outcome::done && !c.sources.have_passed(point.sources_epoch)) o = outcome::would_block;
  if (o == outcome::done) raise_to(c.n_complete, point.n_changes);
  return o;
}

outcome endpoint::fence_issued(channel& c, flush_point& point) {
  if (table_->fence == nullptr) return flush_issued(c, point);
  begin_flush(c, point);
  const outcome o = table_->fence(c.handle, point.handle);
  return attributes_.messages_in_order ? o : unless_requests_open(c, o, point.request_epoch);
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
  if (what.by == agent::cpu && !attributes_.has_cpu_atomics)
    return report(traffic::atomic_request, op.pe, bytes, send_request(c, op));
  return report(traffic::atomic, op.pe, bytes, table_->atomic(c.handle, op.pe, at, what, op.result, op.local));
}

outcome endpoint::start(deferred_op& deferred) {
  if (deferred.packed != nullptr) return start_pack(deferred);
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
  outcome o = deferred_ops_.has(op.pe) ? outcome::would_block : start(deferred);
  if (o == outcome::would_block) o = deferred_ops_.add(deferred);
  if (o == outcome::would_block && lends) deferred.op.local->pending.fetch_sub(1, std::memory_order_release);
  return count(c, op, o);
}

}  // namespace oshen::transport
