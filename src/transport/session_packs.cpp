#include "transport/session_packs.hpp"

#include <string.h>

#include "os/clock.hpp"

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

bool session_packs::begin_session(channel& c) {
  if (home_.query().message_bytes < pack_bytes || home_.slice_bytes() > max_offset || !c.defers) return false;
  os::locked hold(lock_);
  if (c.packing.load(std::memory_order_relaxed) == nullptr) {
    packer* p = make_packer(home_.n_pes(), home_.query().message_bytes);
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

// Another thread may start a session meanwhile.
void session_packs::end_session(channel& c) {
  if (c.n_sessions.fetch_sub(1) == 1) c.open_direct.store(c.direct);
  if (c.n_sessions.load() != 0) c.open_direct.store(nullptr);
}

void session_packs::release(channel& c) {
  packer* const p = c.packing.exchange(nullptr);
  if (p == nullptr) return;
  os::locked hold(lock_);
  packer** at = &packers_;
  while (*at != p) at = &(*at)->next;
  *at = p->next;
  n_open_.fetch_sub(p->n_open);
  drop_packer(p);
}

// ---- operations enter -----------------------------------------------------------------------------------------

// A pack for the PE with room for so many bytes of records, and of values in the reply. The caller holds the packer's
// lock.
outcome session_packs::reserve(packer& p, int pe, std::size_t records, std::size_t values, pack*& found) {
  channel& c = *p.owner;
  if (found = p.of_pe[pe]; found != nullptr) {
    if (has_room(*found, records, values)) return outcome::done;
    if (const outcome o = send_one(c, p, *found); o != outcome::done) return o;
  }
  found = take_pack(p, pe);
  if (found == nullptr && p.n_open != 0) {
    if (const outcome o = send_one(c, p, *p.open[0]); o != outcome::done) return o;
    found = take_pack(p, pe);
  }
  if (found == nullptr) return outcome::failed;
  found->used = sizeof(pack_head);
  found->epoch = c.requests.enter();
  found->opened_ns = os::now_ns();
  c.count_pack();
  n_open_.fetch_add(1);
  note_opened();
  return outcome::done;
}

// Pairs with watch(): a thread that stops watching finds the open pack, or this call finds that it has stopped.
void session_packs::note_opened() {
  if (watch_state_.load() == watch_state::opened) return;
  if (watch_state_.exchange(watch_state::opened) == watch_state::none) home_.request_wake();
}

// A session opens packs again and again. So one call without open packs does not end the watch.
bool session_packs::watch() {
  watch_state seen = watch_state::opened;
  if (watch_state_.compare_exchange_strong(seen, watch_state::watched)) return true;
  const bool ends = seen == watch_state::watched && n_open_.load() == 0;
  if (ends && !watch_state_.compare_exchange_strong(seen, watch_state::none)) return true;
  return n_open_.load() != 0;
}

outcome session_packs::add_one(channel& c, int pe, const packed_op& what, const void* operand) {
  packer& p = *c.packing.load(std::memory_order_acquire);
  os::locked hold(p.lock);
  pack* b = nullptr;
  const outcome o = reserve(p, pe, what.record_bytes(), 0, b);
  if (o == outcome::done) append_record(*b, what, operand);
  return o;
}

outcome session_packs::add_fetch(channel& c, int pe, const packed_op& what, const void* operand, void* result) {
  packer& p = *c.packing.load(std::memory_order_acquire);
  os::locked hold(p.lock);
  pack* b = nullptr;
  if (const outcome o = reserve(p, pe, what.record_bytes(), what.value_bytes(), b); o != outcome::done) return o;
  return append_fetch(*b, what, operand, result) ? outcome::done : outcome::failed;
}

bool session_packs::add_quickly(channel& c, int pe, const packed_op& what) {
  packer* const p = c.packing.load(std::memory_order_acquire);
  if (p == nullptr || !c.is_packing()) return false;
  os::locked hold(p->lock);
  pack* const b = p->of_pe[pe];
  if (b == nullptr || !has_room(*b, sizeof(std::uint64_t), 0)) return false;
  append_word(*b, word_of(what));
  return true;
}

bool session_packs::get_quickly(channel& c, int pe, const packed_op& what, void* to) {
  packer* const p = c.packing.load(std::memory_order_acquire);
  if (p == nullptr || !c.is_packing()) return false;
  os::locked hold(p->lock);
  pack* const b = p->of_pe[pe];
  if (b == nullptr || b->results == nullptr || !has_room(*b, sizeof(std::uint64_t), what.value_bytes())) return false;
  return append_fetch(*b, what, nullptr, to);
}

outcome session_packs::add(channel& c, const far_op& op) {
  switch (op.kind) {
    case far_kind::put: return add_one(c, op.pe, packed_put(op.args.to, op.args.bytes), op.args.from);
    case far_kind::get: return add_fetch(c, op.pe, packed_get(op.args.to, op.args.bytes), nullptr, op.result);
    case far_kind::put_signal: return add_signal(c, op);
    case far_kind::atomic: return add_atomic(c, op);
  }
  return outcome::failed;
}

outcome session_packs::add_atomic(channel& c, const far_op& op) {
  const auto& [at, a] = op.atomic;
  const auto bytes = static_cast<std::size_t>(a.bytes);
  if (a.op == operation::fetch && op.result == nullptr) return outcome::done;
  if (a.op == operation::fetch) return add_fetch(c, op.pe, packed_get(at, bytes), nullptr, op.result);
  const packed_op what = packed_change(at, a.op, a.bytes, op.result != nullptr, a.value);
  char operand[2 * sizeof a.value];
  memcpy(operand, &a.value, sizeof a.value);
  memcpy(operand + bytes, &a.compare, sizeof a.compare);
  return op.result != nullptr ? add_fetch(c, op.pe, what, operand, op.result) : add_one(c, op.pe, what, operand);
}

// Bytes and signal share a pack, because two packs have no order.
outcome session_packs::add_signal(channel& c, const far_op& op) {
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

// Sends an open pack, or defers it. The caller holds the packer's lock.
outcome session_packs::send_one(channel& c, packer& p, pack& b) {
  outcome o = queue_.must_wait(c, b.pe) ? outcome::would_block : requests_.send_pack(c, b);
  if (o == outcome::done) {
    recycle_pack(p, b);
  } else if (o == outcome::would_block) {
    const deferred_op deferred{.on = &c, .op = put_of(b.pe, 0, nullptr, 0), .packed = &b, .moved_bytes = b.memory()};
    give_away_pack(p, b);  // before another thread can start and free it
    o = queue_.add(deferred);
    if (o != outcome::done) take_back_pack(p, b);
  }
  if (o == outcome::done) n_open_.fetch_sub(1);
  if (o == outcome::lost || o == outcome::failed) c.failed_pe.store(b.pe, std::memory_order_relaxed);
  return o;
}

outcome session_packs::send(channel& c) {
  packer* const p = c.packing.load(std::memory_order_acquire);
  if (p == nullptr) return outcome::done;
  os::locked hold(p->lock);
  while (p->n_open != 0)
    if (const outcome o = send_one(c, *p, *p->open[p->n_open - 1]); o != outcome::done) return o;
  return outcome::done;
}

outcome session_packs::start_deferred(deferred_op& deferred) {
  const outcome o = requests_.send_pack(*deferred.on, *deferred.packed);
  if (o != outcome::would_block) drop_pack(deferred.packed);
  return o;
}

// The last pack takes the place of one that leaves. The caller holds the packer's lock.
int session_packs::send_aged_of(packer& p) {
  channel& c = *p.owner;
  const std::uint64_t now = os::now_ns();
  int sent = 0;
  for (int i = p.n_open - 1; i >= 0; --i) {
    if (now - p.open[i]->opened_ns < pack_age_ns) continue;
    const outcome o = send_one(c, p, *p.open[i]);
    if (o == outcome::would_block) break;
    if (o != outcome::done) {
      c.failure.store(o, std::memory_order_release);
      has_failed_.store(true, std::memory_order_relaxed);
      break;
    }
    ++sent;
  }
  return sent;
}

// A program may wait for the effect of an operation without a fence or a quiet. A failure disables the channel: the
// next fence or flush reports it.
int session_packs::send_aged() {
  if (n_open_.load(std::memory_order_relaxed) == 0 || !lock_.try_lock()) return 0;
  int sent = 0;
  for (packer* p = packers_; p != nullptr; p = p->next) {
    if (p->owner->failure.load(std::memory_order_relaxed) != outcome::done || !p->lock.try_lock()) continue;
    sent += send_aged_of(*p);
    p->lock.unlock();
  }
  lock_.unlock();
  return sent;
}

}  // namespace oshen::transport
