// Puts, gets and messages on their way out.
#include <stdlib.h>
#include <string.h>

#include "transport/ofi/ofi.hpp"

namespace oshen::transport::ofi {

task* take_task(ofi_instance& me) {
  os::locked hold(me.pool);
  task* t = me.free_tasks;
  if (t == nullptr) return me.used_tasks < most_tasks + receives ? &me.tasks[me.used_tasks++] : nullptr;
  me.free_tasks = t->next;
  return t;
}

namespace {

// Under the lock `pool`.
void put_back(ofi_instance& me, task* t) {
  if (t < me.tasks || t >= me.tasks + most_tasks + receives) return free(t);  // an answer beyond the pool
  t->next = me.free_tasks;
  me.free_tasks = t;
}

}  // namespace

void give_back(ofi_instance& me, task* t) {
  os::locked hold(me.pool);
  put_back(me, t);
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
  const int piece = me.memory.piece_at(t->place);
  const std::uint64_t in_piece = t->place - me.memory.begin_of(piece);
  iovec here{t->local, t->bytes};
  fi_rma_iov there{p.base != 0 ? p.base + t->place : in_piece, t->bytes, p.keys[piece].key};
  fi_msg_rma what{};
  what.msg_iov = &here;
  what.iov_count = 1;
  what.addr = p.where;
  what.rma_iov = &there;
  what.rma_iov_count = 1;
  what.context = &t->context;
  if (t->kind == task_kind::get) return fi_readmsg(me.endpoint, &what, FI_COMPLETION);
  const std::uint64_t at_target = t->on->is_ordered ? 0 : FI_DELIVERY_COMPLETE;
  return fi_writemsg(me.endpoint, &what, at_target | FI_REMOTE_CQ_DATA | FI_COMPLETION);
}

// Short flags of collectives are copied by the provider, which then says nothing of them any more, not even that they
// were lost.
bool is_over_once_posted(const ofi_instance& me, const task* t) {
  return t->kind == task_kind::send && t->is_flag && t->bytes <= me.info->tx_attr->inject_size;
}

ssize_t post(ofi_instance& me, task* t) {
  if (t->kind != task_kind::send) return post_move(me, t);
  const fi_addr_t where = me.peers[t->pe].where;
  if (is_over_once_posted(me, t)) return fi_inject(me.endpoint, t->buffer, t->bytes, where);
  return fi_send(me.endpoint, t->buffer, t->bytes, nullptr, where, &t->context);
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

// The first part of an operation may be refused, and nothing has happened; what the provider does not take of the
// others waits here.
outcome begin(ofi_instance& me, task* t, bool is_first) {
  const bool goes = is_first || me.n_waiting.load(std::memory_order_relaxed) == 0;
  const ssize_t code = goes ? post(me, t) : -FI_EAGAIN;
  if (code != -FI_EAGAIN || is_first) return outcome_of(me, code);
  keep(me, t);
  return outcome::done;
}

// What crosses a border of pieces becomes several operations.
outcome move(ofi_stream* s, task_kind kind, int pe, std::uint64_t place, void* local, std::size_t bytes,
             completion* left, task* behind = nullptr) {
  ofi_instance& me = *s->home;
  if (me.error.load(std::memory_order_relaxed) != 0) return outcome::lost;
  if (const outcome o = have_keys(me, pe, place, bytes); o != outcome::done) return o;
  const std::uint32_t parts = me.memory.parts_of(place, bytes);
  task* mine = take_tasks(me, parts);
  if (mine == nullptr) return outcome::again;
  if (behind != nullptr) behind->left_before.store(parts, std::memory_order_relaxed);
  if (left != nullptr) left->left.fetch_add(parts - 1, std::memory_order_relaxed);  // one is the caller's
  s->moving.fetch_add(parts, std::memory_order_relaxed);
  auto* here = static_cast<char*>(local);
  bool is_first = true;
  const outcome o = me.memory.each_part(place, bytes, [&](std::uint64_t at, std::size_t part) {
    task* t = mine;
    task* rest = t->next;
    describe(t, s, kind, pe, at, here, part, left, behind);
    const bool copied = t->local == t->buffer;  // once it has begun another thread may see it end
    const outcome begun = begin(me, t, is_first);
    if (begun != outcome::done) return begun;
    if (copied && left != nullptr) left->left.fetch_sub(1, std::memory_order_release);
    mine = rest;
    here += part;
    is_first = false;
    return begun;
  });
  if (o == outcome::done) return o;
  if (is_first && left != nullptr) left->left.fetch_sub(parts - 1, std::memory_order_relaxed);
  if (is_first) s->moving.fetch_sub(parts, std::memory_order_relaxed);
  give_back_all(me, mine);
  return o;
}

}  // namespace

outcome put(stream* s, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* left) {
  return move(own(s), task_kind::put, pe, to, const_cast<void*>(from), bytes, left);
}

outcome get(stream* s, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* left) {
  return move(own(s), task_kind::get, pe, from, to, bytes, left);
}

namespace {

struct letter {
  packet_kind kind;
  signal_change change;
  const void* body;
  std::size_t bytes;
};

// From inside a handler it takes along what is due.
receipts receipts_of(ofi_instance& me, int pe, packet_kind kind, ofi_stream* waits, bool in_handler) {
  receipts r{};
  const bool is_question = kind == packet_kind::key_wanted;
  r.from_stream = reinterpret_cast<std::uint64_t>(waits);
  if (waits != nullptr || is_question) r.address_bytes = static_cast<std::uint32_t>(me.own_address_bytes);
  if (in_handler && !is_question && me.n_due != 0 && me.due_pe == pe) {
    r.acknowledged = me.due_stream;
    r.n_acknowledged = me.n_due;
    me.n_due = 0;
  }
  return r;
}

void fill(ofi_instance& me, task* t, const letter& what, ofi_stream* waits, bool in_handler) {
  const receipts r = receipts_of(me, t->pe, what.kind, waits, in_handler);
  packet head{};
  head.token = me.peers[t->pe].token;
  head.from_pe = me.how.pe;
  head.bytes = static_cast<std::uint16_t>(what.bytes);
  head.kind = what.kind;
  if (what.change == signal_change::add) head.marks |= adds;
  if (r.address_bytes != 0 || r.n_acknowledged != 0) head.marks |= has_receipts;
  char* end = t->buffer;
  const auto append = [&end](const void* from, std::size_t bytes) {
    if (bytes != 0) memcpy(end, from, bytes);
    end += bytes;
  };
  append(&head, sizeof head);
  if ((head.marks & has_receipts) != 0) append(&r, sizeof r);
  append(what.body, what.bytes);
  append(me.own_address, r.address_bytes);
  t->bytes = static_cast<std::uint32_t>(end - t->buffer);
}

}  // namespace

outcome write_packet(ofi_instance& me, ofi_stream* s, int pe, packet_kind kind, signal_change change, const void* bytes,
                     std::size_t n, if_full full) {
  if (me.error.load(std::memory_order_relaxed) != 0) return outcome::lost;
  if (full == if_full::say_again && me.n_waiting.load(std::memory_order_relaxed) != 0) return outcome::again;
  task* t = take_task(me);
  if (t == nullptr && full == if_full::say_again) return outcome::again;
  if (t == nullptr) t = static_cast<task*>(malloc(sizeof(task)));
  if (t == nullptr) return outcome::failed;
  const bool is_answered = kind == packet_kind::message;  // by the link, which waits for that
  ofi_stream* const waits = s != nullptr && !s->is_ordered && !is_answered ? s : nullptr;  // for an acknowledgement
  t->on = nullptr;
  t->left = nullptr;
  t->behind = nullptr;
  t->kind = task_kind::send;
  t->is_flag = kind == packet_kind::signal && s != nullptr && s->is_ordered;
  t->pe = pe;
  fill(me, t, {kind, change, bytes, n}, waits, s == nullptr);
  if (waits != nullptr) waits->unacknowledged.fetch_add(1, std::memory_order_relaxed);
  const bool is_over = is_over_once_posted(me, t);  // else it may be another's once it is posted
  const ssize_t code = me.n_waiting.load(std::memory_order_relaxed) != 0 ? -FI_EAGAIN : post(me, t);
  if (code == 0) {
    if (is_over) give_back(me, t);
    return outcome::done;
  }
  if (code == -FI_EAGAIN && full == if_full::keep_copy) {
    keep(me, t);
    return outcome::done;
  }
  if (waits != nullptr) waits->unacknowledged.fetch_sub(1, std::memory_order_relaxed);
  give_back(me, t);
  return outcome_of(me, code);
}

namespace {

// One message for both.
outcome carry_with_signal(ofi_stream* s, int pe, const signal_packet& what, signal_change change, const void* from,
                          std::size_t bytes, completion* left) {
  char both[sizeof what + carried_bytes];
  memcpy(both, &what, sizeof what);
  if (bytes != 0) memcpy(both + sizeof what, from, bytes);
  const outcome o = write_packet(*s->home, s, pe, packet_kind::signal, change, both, sizeof what + bytes,
                                 if_full::say_again);
  if (o == outcome::done && left != nullptr) left->left.fetch_sub(1, std::memory_order_release);
  return o;
}

// Where the provider keeps no order the signal goes when the bytes are there.
outcome put_then_signal(ofi_stream* s, int pe, const signal_packet& what, signal_change change, void* from,
                        std::size_t bytes, completion* left) {
  task* behind = take_task(*s->home);
  if (behind == nullptr) return outcome::again;
  behind->pe = pe;
  behind->change = change;
  behind->signal = what;
  const outcome o = move(s, task_kind::put, pe, what.data_place, from, bytes, left, behind);
  if (o != outcome::done) give_back(*s->home, behind);
  return o;
}

}  // namespace

outcome put_signal(stream* on, int pe, std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t signal,
                   std::uint64_t value, signal_change change, completion* left) {
  ofi_stream* s = own(on);
  ofi_instance& me = *s->home;
  const signal_packet what{.place = signal, .value = value, .data_place = to};
  if (bytes <= carried_bytes) return carry_with_signal(s, pe, what, change, from, bytes, left);
  if (!me.in_order) return put_then_signal(s, pe, what, change, const_cast<void*>(from), bytes, left);
  // Both or nothing: so the packet is kept where there is no room for it. It cannot overtake the bytes.
  if (me.n_waiting.load(std::memory_order_relaxed) != 0) return outcome::again;
  if (const outcome o = put(on, pe, to, from, bytes, left); o != outcome::done) return o;
  return write_packet(me, s, pe, packet_kind::signal, change, &what, sizeof what, if_full::keep_copy);
}

int send_waiting(ofi_instance& me) {
  int sent = 0;
  while (me.n_waiting.load(std::memory_order_relaxed) != 0) {
    os::locked hold(me.pool);
    task* t = me.waiting;
    if (t == nullptr) break;
    task* next = t->next;  // once it is posted another thread may see it end
    const bool is_over = is_over_once_posted(me, t);
    if (const ssize_t code = post(me, t); code != 0) {
      static_cast<void>(outcome_of(me, code));
      break;
    }
    me.waiting = next;
    if (me.waiting == nullptr) me.waiting_end = &me.waiting;
    me.n_waiting.fetch_sub(1, std::memory_order_relaxed);
    if (is_over) put_back(me, t);
    ++sent;
  }
  return sent;
}

}  // namespace oshen::transport::ofi
