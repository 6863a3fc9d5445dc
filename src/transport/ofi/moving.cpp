// Puts, gets and messages on their way out.
#include <stdlib.h>
#include <string.h>

#include "transport/ofi/ofi.hpp"

namespace oshen::transport::ofi {

task* take_task(ofi_instance& me) {
  os::locked hold(me.pool);
  task* t = me.free_tasks;
  if (t != nullptr) me.free_tasks = t->next;
  return t;
}

void give_back(ofi_instance& me, task* t) {
  if (t < me.tasks || t >= me.tasks + most_tasks + receives) return free(t);  // an answer beyond the pool
  os::locked hold(me.pool);
  t->next = me.free_tasks;
  me.free_tasks = t;
}

outcome outcome_of(ofi_instance& me, ssize_t code) {
  if (code == 0) return outcome::done;
  if (code == -FI_EAGAIN) return outcome::again;
  me.error.store(static_cast<int>(-code), std::memory_order_relaxed);
  return outcome::lost;
}

namespace {

void give_back_all(ofi_instance& me, task* list) {
  while (list != nullptr) {
    task* t = list;
    list = t->next;
    give_back(me, t);
  }
}

// So many in a list, or none.
task* take_tasks(ofi_instance& me, std::uint32_t n) {
  task* all = nullptr;
  for (; n > 0; --n) {
    task* t = take_task(me);
    if (t == nullptr) return give_back_all(me, all), nullptr;
    t->next = all;
    all = t;
  }
  return all;
}

ssize_t post_move(ofi_instance& me, task* t) {
  const peer& p = me.peers[t->pe];
  const std::uint64_t in_piece = t->place & ((std::uint64_t{1} << me.piece_shift) - 1);
  iovec here{t->local, t->bytes};
  fi_rma_iov there{p.base != 0 ? p.base + t->place : in_piece, t->bytes, p.keys[piece_at(me, t->place)].key};
  fi_msg_rma what{};
  what.msg_iov = &here;
  what.iov_count = 1;
  what.addr = p.where;
  what.rma_iov = &there;
  what.rma_iov_count = 1;
  what.context = &t->context;
  return t->kind == task_kind::put
             ? fi_writemsg(me.endpoint, &what, FI_DELIVERY_COMPLETE | FI_REMOTE_CQ_DATA | FI_COMPLETION)
             : fi_readmsg(me.endpoint, &what, FI_COMPLETION);
}

ssize_t post(ofi_instance& me, task* t) {
  if (t->kind != task_kind::send) return post_move(me, t);
  return fi_send(me.endpoint, t->buffer, t->bytes, nullptr, me.peers[t->pe].where, &t->context);
}

// Behind what waits already.
void keep(ofi_instance& me, task* t) {
  os::locked hold(me.pool);
  t->next = nullptr;
  *me.waiting_end = t;
  me.waiting_end = &t->next;
  me.n_waiting.fetch_add(1, std::memory_order_relaxed);
}

// The source of a small put is free when this returns; of a large one when it is complete.
void describe(task* t, ofi_stream* s, task_kind kind, int pe, std::uint64_t place, char* local, std::size_t bytes,
              completion* left, task* behind) {
  t->on = s;
  t->left = left;
  t->kind = kind;
  t->pe = pe;
  t->place = place;
  t->local = local;
  t->bytes = static_cast<std::uint32_t>(bytes);
  t->behind = behind;
  if (kind != task_kind::put || bytes > small_put) return;
  memcpy(t->buffer, local, bytes);
  t->local = t->buffer;
  t->left = nullptr;
}

// What crosses a border of pieces becomes several operations. The first may be refused, and nothing has happened; what
// the provider does not take of the rest waits here.
outcome move(ofi_stream* s, task_kind kind, int pe, std::uint64_t place, void* local, std::size_t bytes,
             completion* left, task* behind = nullptr) {
  ofi_instance& me = *s->home;
  if (me.error.load(std::memory_order_relaxed) != 0) return outcome::lost;
  if (const outcome o = have_keys(me, pe, place, bytes); o != outcome::done) return o;
  const auto parts = static_cast<std::uint32_t>(piece_at(me, place + bytes - 1) - piece_at(me, place) + 1);
  task* mine = take_tasks(me, parts);
  if (mine == nullptr) return outcome::again;
  if (behind != nullptr) behind->left_before.store(parts, std::memory_order_relaxed);
  if (left != nullptr) left->left.fetch_add(parts - 1, std::memory_order_relaxed);  // one is the caller's
  s->moving.fetch_add(parts, std::memory_order_relaxed);
  auto* here = static_cast<char*>(local);
  for (bool is_first = true; mine != nullptr; is_first = false) {
    task* t = mine;
    task* rest = t->next;
    const std::uint64_t end = (static_cast<std::uint64_t>(piece_at(me, place)) + 1) << me.piece_shift;
    const std::size_t part = end - place < bytes ? end - place : bytes;
    describe(t, s, kind, pe, place, here, part, left, behind);
    const bool copied = t->local == t->buffer;
    const ssize_t code = is_first || me.n_waiting.load(std::memory_order_relaxed) == 0 ? post(me, t) : -FI_EAGAIN;
    if (code != 0 && (is_first || code != -FI_EAGAIN)) {
      if (is_first && left != nullptr) left->left.fetch_sub(parts - 1, std::memory_order_relaxed);
      if (is_first) s->moving.fetch_sub(parts, std::memory_order_relaxed);
      t->next = rest;
      give_back_all(me, t);
      return outcome_of(me, code);
    }
    if (code != 0) keep(me, t);
    if (copied && left != nullptr) left->left.fetch_sub(1, std::memory_order_release);
    mine = rest;
    here += part;
    place += part;
    bytes -= part;
  }
  return outcome::done;
}

}  // namespace

outcome put(stream* s, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* left) {
  return move(own(s), task_kind::put, pe, to, const_cast<void*>(from), bytes, left);
}

outcome get(stream* s, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* left) {
  return move(own(s), task_kind::get, pe, from, to, bytes, left);
}

outcome write_packet(ofi_instance& me, ofi_stream* s, int pe, packet_kind kind, signal_change change, const void* bytes,
                     std::size_t n, if_full full) {
  if (me.error.load(std::memory_order_relaxed) != 0) return outcome::lost;
  if (full == if_full::say_again && me.n_waiting.load(std::memory_order_relaxed) != 0) return outcome::again;
  task* t = take_task(me);
  if (t == nullptr && full == if_full::say_again) return outcome::again;
  if (t == nullptr) t = static_cast<task*>(malloc(sizeof(task)));
  if (t == nullptr) return outcome::failed;
  packet head{};
  head.token = me.peers[pe].token;
  head.from_stream = reinterpret_cast<std::uint64_t>(s);
  head.from_pe = me.how.pe;
  head.kind = kind;
  head.change = change;
  head.bytes = static_cast<std::uint16_t>(n);
  const bool is_question = kind == packet_kind::key_wanted;
  const bool carries = s == nullptr && !is_question && me.n_due != 0 && me.due_pe == pe;  // from inside a handler
  if (carries) {
    head.acknowledged = me.due_stream;
    head.n_acknowledged = me.n_due;
    me.n_due = 0;
  }
  t->on = nullptr;
  t->left = nullptr;
  t->behind = nullptr;
  t->kind = task_kind::send;
  t->pe = pe;
  head.address_bytes = s != nullptr || is_question ? static_cast<std::uint32_t>(me.own_address_bytes) : 0;
  t->bytes = static_cast<std::uint32_t>(sizeof head + n + head.address_bytes);
  memcpy(t->buffer, &head, sizeof head);
  memcpy(t->buffer + sizeof head, bytes, n);
  memcpy(t->buffer + sizeof head + n, me.own_address, head.address_bytes);
  if (s != nullptr) s->unacknowledged.fetch_add(1, std::memory_order_relaxed);
  const ssize_t code = me.n_waiting.load(std::memory_order_relaxed) != 0 ? -FI_EAGAIN : post(me, t);
  if (code == 0) return outcome::done;
  if (code == -FI_EAGAIN && full == if_full::keep_copy) {
    keep(me, t);
    return outcome::done;
  }
  if (s != nullptr) s->unacknowledged.fetch_sub(1, std::memory_order_relaxed);
  give_back(me, t);
  return outcome_of(me, code);
}

outcome put_signal(stream* on, int pe, std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t signal,
                   std::uint64_t value, signal_change change, completion* left) {
  ofi_stream* s = own(on);
  ofi_instance& me = *s->home;
  const signal_packet what{signal, value};
  if (bytes != 0 && !me.in_order) {
    task* behind = take_task(me);
    if (behind == nullptr) return outcome::again;
    behind->pe = pe;
    behind->change = change;
    behind->signal = what;
    const outcome o = move(s, task_kind::put, pe, to, const_cast<void*>(from), bytes, left, behind);
    if (o != outcome::done) give_back(me, behind);
    return o;
  }
  // Both or nothing: so the packet is kept where there is no room for it. It cannot overtake the bytes.
  if (me.n_waiting.load(std::memory_order_relaxed) != 0) return outcome::again;
  if (bytes != 0)
    if (const outcome o = put(on, pe, to, from, bytes, left); o != outcome::done) return o;
  const outcome o = write_packet(me, s, pe, packet_kind::signal, change, &what, sizeof what, if_full::keep_copy);
  if (o == outcome::done && bytes == 0 && left != nullptr) left->left.fetch_sub(1, std::memory_order_release);
  return o;
}

int send_waiting(ofi_instance& me) {
  int sent = 0;
  while (me.n_waiting.load(std::memory_order_relaxed) != 0) {
    os::locked hold(me.pool);
    task* t = me.waiting;
    if (t == nullptr) break;
    task* next = t->next;  // once it is posted another thread may see it end
    if (const ssize_t code = post(me, t); code != 0) {
      static_cast<void>(outcome_of(me, code));
      break;
    }
    me.waiting = next;
    if (me.waiting == nullptr) me.waiting_end = &me.waiting;
    me.n_waiting.fetch_sub(1, std::memory_order_relaxed);
    ++sent;
  }
  return sent;
}

}  // namespace oshen::transport::ofi
