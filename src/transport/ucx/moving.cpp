// Puts, gets and messages on their way out. Everything here is called under the worker's lock, but for the three that
// the table calls, which take it.
#include <stdlib.h>
#include <string.h>

#include "transport/ucx/ucx.hpp"

namespace oshen::transport::ucx {
namespace {

task* take_task(worker& me) {
  task* t = me.free_tasks;
  if (t != nullptr) me.free_tasks = t->next;
  return t;
}

void give_back_all(worker& me, task* list) {
  while (list != nullptr) {
    task* t = list;
    list = t->next;
    give_back(me, t);
  }
}

// An operation that failed never counts its completion down: who waits for it learns from flush that all is lost.
void finish(task* t, ucs_status_t status) {
  worker& me = *t->home;
  if (status != UCS_OK) note_error(me, status);
  else if (t->left != nullptr) t->left->left.fetch_sub(1, std::memory_order_release);
  if (t->kind == task_kind::flush_for_signal && status == UCS_OK) {
    t->next = me.ready_signals;
    me.ready_signals = t;
    return;
  }
  channel* c = t->on;
  give_back(me, t);
  if (c != nullptr) c->moving.fetch_sub(1, std::memory_order_release);  // last: the stream may be closed now
}

// UCX's callback, in its progress.
void ended(void* request, ucs_status_t status, void* user) {
  auto* t = static_cast<task*>(user);
  t->home->lib->request_free(request);
  finish(t, status);
}

ucp_request_param_t told_to(task* t) {
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  how.cb.send = ended;
  how.user_data = t;
  how.memory_type = UCS_MEMORY_TYPE_HOST;
  return how;
}

// Of an operation that UCX has ended, begun or refused. Refused, it counts as never begun, and `t` is free.
outcome settle(task* t, ucs_status_ptr_t result) {
  if (result == nullptr) return finish(t, UCS_OK), outcome::done;
  if (!UCS_PTR_IS_ERR(result)) return outcome::done;
  note_error(*t->home, UCS_PTR_STATUS(result));
  if (t->on != nullptr) t->on->moving.fetch_sub(1, std::memory_order_relaxed);
  give_back(*t->home, t);
  return outcome::lost;
}

void touch(channel& c, int pe) {
  const int n = c.n_touched.load(std::memory_order_relaxed);
  for (int i = 0; i < n && i < most_touched; ++i)
    if (c.touched[i] == pe) return;
  if (n < most_touched) c.touched[n] = pe;
  if (n <= most_touched) c.n_touched.store(n + 1, std::memory_order_relaxed);
}

// What lies in one piece of the window.
outcome move_part(channel& c, direction d, int pe, std::uint64_t place, char* local, std::size_t bytes,
                  completion* left, task* t) {
  worker& me = *c.home;
  const peer& p = me.peers[pe];
  const held_key& k = p.keys[me.memory.piece_at(place)];
  t->kind = task_kind::move;
  t->on = &c;
  t->left = left;
  t->pe = pe;
  c.moving.fetch_add(1, std::memory_order_relaxed);
  const ucp_request_param_t how = told_to(t);
  return settle(t, d == direction::put ? me.lib->put(p.endpoint, local, bytes, p.base + place, k.key, &how)
                                       : me.lib->get(p.endpoint, local, bytes, p.base + place, k.key, &how));
}

// So many tasks in a list, or none.
task* take_tasks(worker& me, std::uint32_t n) {
  task* all = nullptr;
  for (; n > 0; --n) {
    task* t = take_task(me);
    if (t == nullptr) break;
    t->next = all;
    all = t;
  }
  if (n != 0) give_back_all(me, all);
  return n == 0 ? all : nullptr;
}

// All of a range or nothing: keys and tasks for it are there before the first part goes.
outcome move_locked(channel& c, direction d, int pe, std::uint64_t place, void* local, std::size_t bytes,
                    completion* left) {
  worker& me = *c.home;
  if (is_broken(me)) return outcome::lost;
  if (const outcome o = have_keys(me, pe, place, bytes); o != outcome::done) return o;
  std::uint32_t parts = me.memory.parts_of(place, bytes);
  task* mine = take_tasks(me, parts);
  if (mine == nullptr) return outcome::again;
  if (d == direction::put) touch(c, pe);
  if (left != nullptr) left->left.fetch_add(parts - 1, std::memory_order_relaxed);  // one is the caller's
  auto* here = static_cast<char*>(local);
  const outcome o = me.memory.each_part(place, bytes, [&](std::uint64_t at, std::size_t part) {
    task* t = mine;
    mine = t->next;
    const outcome begun = move_part(c, d, pe, at, here, part, left, t);
    here += part;
    if (begun == outcome::done) --parts;
    return begun;
  });
  if (o == outcome::done) return o;
  if (left != nullptr) left->left.fetch_sub(parts - 1, std::memory_order_relaxed);  // of those that did not begin
  give_back_all(me, mine);
  return o;
}

outcome flush_locked(channel& c) {
  worker& me = *c.home;
  int n = c.n_touched.load(std::memory_order_relaxed);
  const bool all = n > most_touched;
  if (all) n = 1;
  while (n > 0) {
    task* t = take_task(me);
    if (t == nullptr) return outcome::again;
    t->kind = task_kind::flush;
    t->on = &c;
    t->left = nullptr;
    c.moving.fetch_add(1, std::memory_order_relaxed);
    const ucp_request_param_t how = told_to(t);
    --n;
    c.n_touched.store(n, std::memory_order_relaxed);
    const outcome o = settle(t, all ? me.lib->worker_flush(me.handle, &how)
                                    : me.lib->ep_flush(me.peers[c.touched[n]].endpoint, &how));
    if (o != outcome::done) return o;
  }
  return outcome::done;
}

// Whose messages are to be acknowledged; null: nobody's.
channel* acknowledged(channel* c) { return c != nullptr && !c->is_ordered ? c : nullptr; }

void sign(const worker& me, packet& head, channel* c, int to_pe) {
  if (head.token == 0) head.token = me.peers[to_pe].token;
  head.from_token = me.token;
  head.from_channel = reinterpret_cast<std::uint64_t>(acknowledged(c));
  head.from_pe = me.how.pe;
}

// Sends the packet of a task; the task is gone after that.
outcome send_task(worker& me, task* t, channel* c, ucp_ep_h to, const void* body, std::size_t bytes) {
  ucp_request_param_t how = told_to(t);
  how.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
  how.flags = UCP_AM_SEND_FLAG_EAGER;
  c = acknowledged(c);
  // Whoever owes us an answer may not know the way to us.
  if (c != nullptr || t->head.kind == packet_kind::key_wanted) how.flags |= UCP_AM_SEND_FLAG_REPLY;
  if (c != nullptr) c->unacknowledged.fetch_add(1, std::memory_order_relaxed);
  const outcome o = settle(t, me.lib->am_send(to, message_id, &t->head, sizeof t->head, body, bytes, &how));
  if (o != outcome::done && c != nullptr) c->unacknowledged.fetch_sub(1, std::memory_order_relaxed);
  return o;
}

}  // namespace

void give_back(worker& me, task* t) {
  if (t < me.tasks || t >= me.tasks + most_tasks) return free(t);  // an answer beyond the pool
  t->next = me.free_tasks;
  me.free_tasks = t;
}

outcome send(worker& me, channel* c, int pe, ucp_ep_h to, packet head, const void* body, std::size_t bytes,
             completion* left, if_full full) {
  if (is_broken(me)) return outcome::lost;
  task* t = take_task(me);
  if (t == nullptr) {
    if (full == if_full::say_again) return outcome::again;
    t = static_cast<task*>(malloc(sizeof(task)));
    if (t == nullptr) return outcome::failed;
  }
  sign(me, head, c, pe);
  *t = {.next = nullptr, .home = &me, .on = nullptr, .left = left, .pe = pe, .kind = task_kind::message, .head = head,
        .body = {}};
  if (bytes != 0 && bytes <= sizeof t->body) {
    memcpy(t->body, body, bytes);
    body = t->body;
  }
  return send_task(me, t, c, to, body, bytes);
}

void send_ready_signals(worker& me) {
  while (me.ready_signals != nullptr) {
    task* t = me.ready_signals;
    me.ready_signals = t->next;
    channel* c = t->on;
    t->kind = task_kind::message;
    t->on = nullptr;
    static_cast<void>(send_task(me, t, c, me.peers[t->pe].endpoint, nullptr, 0));
    c->moving.fetch_sub(1, std::memory_order_release);  // last, and `unacknowledged` has been counted up
  }
}

outcome move(channel& c, direction d, int pe, std::uint64_t place, void* local, std::size_t bytes, completion* left) {
  os::locked hold(c.home->lock);
  return move_locked(c, d, pe, place, local, bytes, left);
}

outcome put_signal(channel& c, int pe, std::uint64_t to, const void* from, std::size_t bytes, std::uint64_t signal,
                   std::uint64_t value, signal_change change, completion* left) {
  worker& me = *c.home;
  packet head{};
  head.kind = packet_kind::signal;
  head.change = change;
  head.place = to;
  head.word = signal;
  head.value = value;
  os::locked hold(me.lock);
  if (c.is_ordered && c.n_touched.load(std::memory_order_relaxed) != 0)
    if (const outcome o = flush_locked(c); o != outcome::done) return o;
  if (c.is_ordered && c.moving.load(std::memory_order_acquire) != 0) return outcome::again;
  if (bytes <= carried_bytes)
    return send(me, &c, pe, me.peers[pe].endpoint, head, from, bytes, left, if_full::say_again);
  task* t = take_task(me);
  if (t == nullptr) return outcome::again;
  if (const outcome o = move_locked(c, direction::put, pe, to, const_cast<void*>(from), bytes, left);
      o != outcome::done) {
    give_back(me, t);
    return o;
  }
  sign(me, head, &c, pe);
  *t = {.next = nullptr, .home = &me, .on = &c, .left = nullptr, .pe = pe, .kind = task_kind::flush_for_signal,
        .head = head, .body = {}};
  c.moving.fetch_add(1, std::memory_order_relaxed);
  const ucp_request_param_t how = told_to(t);
  const outcome o = settle(t, me.lib->ep_flush(me.peers[pe].endpoint, &how));
  send_ready_signals(me);
  return o;
}

// The loops above call it until it says `done`; without the lock where there is nothing to begin.
outcome flush(channel& c) {
  if (is_broken(*c.home)) return outcome::lost;
  if (c.n_touched.load(std::memory_order_relaxed) != 0) {
    os::locked hold(c.home->lock);
    if (const outcome o = flush_locked(c); o != outcome::done) return o;
  }
  return c.moving.load(std::memory_order_acquire) == 0 && c.unacknowledged.load(std::memory_order_acquire) == 0
             ? outcome::done
             : outcome::again;
}

}  // namespace oshen::transport::ucx
