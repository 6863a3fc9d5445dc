// Packs of an endpoint: operations enter them, and they leave when they are full, at a fence or flush, or by age.
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "transport/endpoint.hpp"
#include "transport/pack.hpp"

namespace oshen::transport {
namespace {

constexpr std::uint64_t max_offset = (std::uint64_t{1} << 48) - 1;

packed_op packed_put(std::uint64_t to, std::size_t bytes) {
  return {.at = to, .op = operation::fetch, .fetches = false, .bytes = bytes};
}
packed_op packed_get(std::uint64_t from, std::size_t bytes) {
  return {.at = from, .op = operation::fetch, .fetches = true, .bytes = bytes};
}

}  // namespace

// ---- sessions -------------------------------------------------------------------------------------------------

bool endpoint::start_packing(channel& c) {
  if (attributes_.message_bytes < pack_bytes || slice_bytes_ > max_offset || !c.defers) return false;
  os::locked hold(packers_lock_);
  if (c.packing.load(std::memory_order_relaxed) == nullptr) {
    packer* p = make_packer(n_pes_, attributes_.message_bytes);
    if (p == nullptr) return false;
    p->owner = &c;
    p->next = packers_;
    packers_ = p;
    c.packing.store(p, std::memory_order_release);
  }
  c.n_sessions.fetch_add(1);
  c.open_direct.store(nullptr);
  return true;
}

void endpoint::release_packs(channel& c) {
  packer* const p = c.packing.exchange(nullptr);
  if (p == nullptr) return;
  os::locked hold(packers_lock_);
  packer** at = &packers_;
  while (*at != p) at = &(*at)->next;
  *at = p->next;
  n_open_packs_.fetch_sub(p->n_open);
  drop_packer(p);
}

// ---- operations enter -----------------------------------------------------------------------------------------

// A pack for the PE with room for so many bytes of records, and of values in the reply. The caller holds the packer's
// lock.
outcome endpoint::reserve(packer& p, int pe, std::size_t records, std::size_t values, pack*& found) {
  channel& c = *p.owner;
  if (found = p.of_pe[pe]; found != nullptr) {
    if (has_room(*found, records, values)) return outcome::done;
    if (const outcome o = send_pack(c, p, *found); o != outcome::done) return o;
  }
  found = take_pack(p, pe);
  if (found == nullptr && p.n_open != 0) {
    if (const outcome o = send_pack(c, p, *p.open[0]); o != outcome::done) return o;
    found = take_pack(p, pe);
  }
  if (found == nullptr) return outcome::failed;
  found->used = sizeof(pack_head);
  found->epoch = c.requests.enter();
  found->opened_ns = os::now_ns();
  changed(c, outcome::done);
  n_open_packs_.fetch_add(1);
  note_opened();
  return outcome::done;
}

// Pairs with watch_packs(): a thread that stops watching finds the open pack, or this call finds that it has stopped.
void endpoint::note_opened() {
  if (pack_watch_.load() == pack_watch::opened) return;
  if (pack_watch_.exchange(pack_watch::opened) == pack_watch::none) unwatched_.fetch_add(1);
}

// A session opens packs again and again. So one call without open packs does not end the watch.
bool endpoint::watch_packs() {
  pack_watch seen = pack_watch::opened;
  if (pack_watch_.compare_exchange_strong(seen, pack_watch::watched)) return true;
  const bool ends = seen == pack_watch::watched && n_open_packs_.load() == 0;
  if (ends && !pack_watch_.compare_exchange_strong(seen, pack_watch::none)) return true;
  return n_open_packs_.load() != 0;
}

outcome endpoint::pack_one(channel& c, int pe, const packed_op& what, const void* operand) {
  packer& p = *c.packing.load(std::memory_order_acquire);
  os::locked hold(p.lock);
  pack* b = nullptr;
  const outcome o = reserve(p, pe, what.record_bytes(), 0, b);
  if (o == outcome::done) append_record(*b, what, operand);
  return o;
}

outcome endpoint::pack_fetch(channel& c, int pe, const packed_op& what, const void* operand, void* result) {
  packer& p = *c.packing.load(std::memory_order_acquire);
  os::locked hold(p.lock);
  pack* b = nullptr;
  if (const outcome o = reserve(p, pe, what.record_bytes(), what.value_bytes(), b); o != outcome::done) return o;
  return append_fetch(*b, what, operand, result) ? outcome::done : outcome::failed;
}

bool endpoint::add_quickly(channel& c, int pe, const packed_op& what) {
  packer* const p = c.packing.load(std::memory_order_acquire);
  if (p == nullptr || !packs(c)) return false;
  os::locked hold(p->lock);
  pack* const b = p->of_pe[pe];
  if (b == nullptr || !has_room(*b, sizeof(std::uint64_t), 0)) return false;
  append_word(*b, word_of(what));
  return true;
}

bool endpoint::get_quickly(channel& c, int pe, const packed_op& what, void* to) {
  packer* const p = c.packing.load(std::memory_order_acquire);
  if (p == nullptr || !packs(c)) return false;
  os::locked hold(p->lock);
  pack* const b = p->of_pe[pe];
  if (b == nullptr || b->results == nullptr || !has_room(*b, sizeof(std::uint64_t), what.value_bytes())) return false;
  return append_fetch(*b, what, nullptr, to);
}

outcome endpoint::add_packed(channel& c, const far_op& op) {
  switch (op.kind) {
    case far_kind::put: return pack_one(c, op.pe, packed_put(op.args.to, op.args.bytes), op.args.from);
    case far_kind::get: return pack_fetch(c, op.pe, packed_get(op.args.to, op.args.bytes), nullptr, op.result);
    case far_kind::put_signal: return pack_signal(c, op);
    case far_kind::atomic: return pack_atomic(c, op);
  }
  return outcome::failed;
}

outcome endpoint::pack_atomic(channel& c, const far_op& op) {
  const auto& [at, a] = op.atomic;
  const auto bytes = static_cast<std::size_t>(a.bytes);
  if (a.op == operation::fetch && op.result == nullptr) return outcome::done;
  if (a.op == operation::fetch) return pack_fetch(c, op.pe, packed_get(at, bytes), nullptr, op.result);
  const packed_op what = packed_change(at, a.op, a.bytes, op.result != nullptr, a.value);
  char operand[2 * sizeof a.value];
  memcpy(operand, &a.value, sizeof a.value);
  memcpy(operand + bytes, &a.compare, sizeof a.compare);
  return op.result != nullptr ? pack_fetch(c, op.pe, what, operand, op.result) : pack_one(c, op.pe, what, operand);
}

// Bytes and signal share a pack, because two packs have no order.
outcome endpoint::pack_signal(channel& c, const far_op& op) {
  const put_signal_args& args = op.args;
  packer& p = *c.packing.load(std::memory_order_acquire);
  os::locked hold(p.lock);
  pack* b = nullptr;
  const packed_op put = packed_put(args.to, args.bytes);
  const operation how = args.op == signal_op::set ? operation::set : operation::add;
  const packed_op update = packed_change(args.signal, how, width::eight, false, args.value);
  const std::size_t records = (args.bytes != 0 ? put.record_bytes() : 0) + update.record_bytes();
  if (const outcome o = reserve(p, op.pe, records, 0, b); o != outcome::done) return o;
  if (args.bytes != 0) append_record(*b, put, args.from);
  append_record(*b, update, &args.value);
  return outcome::done;
}

// ---- packs leave ----------------------------------------------------------------------------------------------

// A pack is a request that no caller awaits. Its results belong to the request before the reply can arrive.
outcome endpoint::send_pack_now(channel& c, pack& b) {
  const int number = take_request(b.pe, false);
  if (number < 0) return outcome::would_block;
  requests_[number] = {.from = &c,
                       .pe = b.pe,
                       .epoch = b.epoch,
                       .result = nullptr,
                       .results = b.results,
                       .local = nullptr,
                       .bytes = width::eight,
                       .next_free = -1};
  const pack_head head{.kind = am_kind::pack, .unused = {}, .number = number};
  memcpy(b.buffer(), &head, sizeof head);
  const int pe = b.pe;
  const std::size_t bytes = b.used;
  const outcome o = table_->send(self_, c.handle, pe, b.buffer(), bytes);
  if (o == outcome::done) {
    b.results = nullptr;
    return report(traffic::pack, pe, bytes, o);
  }
  requests_[number].results = nullptr;
  release_request(number);
  return o;
}

// Sends an open pack, or defers it. The caller holds the packer's lock.
outcome endpoint::send_pack(channel& c, packer& p, pack& b) {
  outcome o = must_wait(c, b.pe) ? outcome::would_block : send_pack_now(c, b);
  if (o == outcome::done) {
    recycle_pack(p, b);
  } else if (o == outcome::would_block) {
    const deferred_op deferred{.on = &c, .op = put_of(b.pe, 0, nullptr, 0), .packed = &b, .moved_bytes = b.memory()};
    give_away_pack(p, b);  // before another thread can start and free it
    o = deferred_ops_.add(deferred);
    if (o != outcome::done) take_back_pack(p, b);
  }
  if (o == outcome::done) n_open_packs_.fetch_sub(1);
  if (o == outcome::lost || o == outcome::failed) c.failed_pe.store(b.pe, std::memory_order_relaxed);
  return o;
}

outcome endpoint::send_packs(channel& c) {
  packer* const p = c.packing.load(std::memory_order_acquire);
  if (p == nullptr) return outcome::done;
  os::locked hold(p->lock);
  while (p->n_open != 0)
    if (const outcome o = send_pack(c, *p, *p->open[p->n_open - 1]); o != outcome::done) return o;
  return outcome::done;
}

outcome endpoint::start_pack(deferred_op& deferred) {
  const outcome o = send_pack_now(*deferred.on, *deferred.packed);
  if (o != outcome::would_block) drop_pack(deferred.packed);
  return o;
}

// The last pack takes the place of one that leaves. The caller holds the packer's lock.
int endpoint::send_aged_packs_of(packer& p) {
  channel& c = *p.owner;
  const std::uint64_t now = os::now_ns();
  int sent = 0;
  for (int i = p.n_open - 1; i >= 0; --i) {
    if (now - p.open[i]->opened_ns < pack_age_ns) continue;
    const outcome o = send_pack(c, p, *p.open[i]);
    if (o == outcome::would_block) break;
    if (o != outcome::done) {
      c.failure.store(o, std::memory_order_release);
      has_failed_pack_.store(true, std::memory_order_relaxed);
      break;
    }
    ++sent;
  }
  return sent;
}

// A program may wait for the effect of an operation without a fence or a quiet. A failure disables the channel: the
// next fence or flush reports it.
int endpoint::send_aged_packs() {
  if (n_open_packs_.load(std::memory_order_relaxed) == 0 || !packers_lock_.try_lock()) return 0;
  int sent = 0;
  for (packer* p = packers_; p != nullptr; p = p->next) {
    if (p->owner->failure.load(std::memory_order_relaxed) != outcome::done || !p->lock.try_lock()) continue;
    sent += send_aged_packs_of(*p);
    p->lock.unlock();
  }
  packers_lock_.unlock();
  return sent;
}

// ---- messages arrive ------------------------------------------------------------------------------------------

// On the target.
void endpoint::handle_pack(int from_pe, const void* bytes, std::size_t n) {
  pack_head head;
  if (n < sizeof head) return;
  memcpy(&head, bytes, sizeof head);
  pack_reply reply;
  reply.room = std::min(attributes_.message_bytes, sizeof reply.buffer);
  if (!apply_records(slice_, slice_bytes_, static_cast<const char*>(bytes), n, reply)) {
    log::error("transport %s: a message of PE %d points out of this PE's memory; ignored", table_->name, from_pe);
    return;
  }
  head.kind = am_kind::pack_reply;
  memcpy(reply.buffer, &head, sizeof head);
  send_reply(from_pe, reply.buffer, reply.used);
}

// On the requester.
void endpoint::handle_pack_reply(int from_pe, const void* bytes, std::size_t n) {
  pack_head head;
  if (n < sizeof head) return;
  memcpy(&head, bytes, sizeof head);
  if (head.number < 0 || head.number >= max_requests) return;
  request& r = requests_[head.number];
  if (!take_results(r.results, static_cast<const char*>(bytes), n)) {
    log::error("transport %s: a reply of PE %d has %zu bytes, which do not fit its request; ignored", table_->name,
               from_pe, n);
    return;
  }
  free(r.results);
  r.results = nullptr;
  end_request(head.number);
}

}  // namespace oshen::transport
