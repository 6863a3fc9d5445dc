#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.hpp"
#include "transport/loop/loop.hpp"

namespace oshen::transport {
namespace {

constexpr int max_datagrams_at_once = 64;

void load(char* to, const char* from, std::size_t bytes) {
  const bool aligned = (reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to)) % bytes == 0;
  if (aligned && bytes == 8) {
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(to),
                     __atomic_load_n(reinterpret_cast<const std::uint64_t*>(from), __ATOMIC_ACQUIRE), __ATOMIC_RELAXED);
    return;
  }
  memcpy(to, from, bytes);
}

// ---- acknowledgements of puts ---------------------------------------------------------------------------------

void acknowledge(loop_instance& me) {
  if (me.n_unsent_acks == 0) return;
  packet_head head = me.unsent_ack;
  const int pe = head.from_pe;
  head.kind = packet_kind::acknowledgement;
  head.bytes = me.n_unsent_acks;
  me.n_unsent_acks = 0;
  static_cast<void>(send_packets(me, pe, {.head = head}, if_full::queue));
}

void note_put(loop_instance& me, const packet_head& head) {
  if (me.n_unsent_acks != 0 && (me.unsent_ack.from_pe != head.from_pe || me.unsent_ack.stream != head.stream ||
                                me.unsent_ack.counted_in != head.counted_in))
    acknowledge(me);
  me.unsent_ack = head;
  ++me.n_unsent_acks;
}

// ---- datagrams ------------------------------------------------------------------------------------------------

void take_get_reply(loop_instance& me, const packet_head& head, const char* payload) {
  auto* r = reinterpret_cast<get_request*>(head.request);
  load(reinterpret_cast<char*>(head.offset), payload, head.bytes);
  r->missing_bytes -= head.bytes;
  if (r->missing_bytes != 0) return;
  if (r->local != nullptr) r->local->pending.fetch_sub(1, std::memory_order_release);
  me.open_gets.fetch_sub(1, std::memory_order_relaxed);
  r->from->operations.leave(r->epoch);  // last: after it a flush may close the stream
  free(r);
}

// `head.request` is the requester's address for the bytes; `head.stream` is its get_request.
void send_get_reply(loop_instance& me, const packet_head& head) {
  packet_head reply{};
  reply.kind = packet_kind::get_reply;
  reply.offset = head.request;
  reply.request = head.stream;
  const char* from = me.memory.base + head.offset;
  static_cast<void>(send_packets(me, head.from_pe, {.head = reply, .data = from, .left = head.bytes}, if_full::queue));
}

void handle(loop_instance& me, const packet_head& head, const char* payload) {
  switch (head.kind) {
    case packet_kind::put:
      if (me.memory.contains(head.offset, head.bytes)) deliver(me.memory.base + head.offset, payload, head.bytes);
      return note_put(me, head);
    case packet_kind::acknowledgement:
      reinterpret_cast<loop_stream*>(head.stream)->operations.leave(head.counted_in, head.bytes);
      return;
    case packet_kind::get:
      if (me.memory.contains(head.offset, head.bytes)) send_get_reply(me, head);
      return;
    case packet_kind::get_reply: return take_get_reply(me, head, payload);
    case packet_kind::message: me.how.on_message(me.how.owner, head.from_pe, payload, head.bytes);
  }
}

// ---- chaos: delayed and reordered, except across fences -------------------------------------------------------

const char* payload_of(const held_packet& p) { return reinterpret_cast<const char*>(&p + 1); }

void hold_back(loop_instance& me, const packet_head& head, const char* payload, std::size_t bytes) {
  auto* p = static_cast<held_packet*>(malloc(sizeof(held_packet) + bytes));
  if (p == nullptr) return handle(me, head, payload);
  const std::uint64_t random = random_of(me);
  const std::uint64_t delay = random % 8 != 0 ? random / 8 % 20000 : random / 8 % 2000000;
  *p = {.next = nullptr, .due_ns = os::now_ns() + delay, .head = head};
  memcpy(p + 1, payload, bytes);
  held_packet** end = &me.held;
  while (*end != nullptr) end = &(*end)->next;
  *end = p;
  me.n_held.fetch_add(1, std::memory_order_relaxed);
}

bool is_behind_a_fence(const loop_instance& me, const held_packet& p) {
  if (!p.head.on_stream) return false;
  for (const held_packet* q = me.held; q != &p; q = q->next)
    if (q->head.on_stream && q->head.from_pe == p.head.from_pe && q->head.stream == p.head.stream &&
        q->head.epoch != p.head.epoch)
      return true;
  return false;
}

int release_due(loop_instance& me) {
  int released = 0;
  const std::uint64_t now = os::now_ns();
  for (held_packet** at = &me.held; *at != nullptr;) {
    held_packet* p = *at;
    if (p->due_ns > now || is_behind_a_fence(me, *p)) {
      at = &p->next;
      continue;
    }
    handle(me, p->head, payload_of(*p));
    *at = p->next;  // removed after handling: until then it holds back packets behind its fence
    free(p);
    me.n_held.fetch_sub(1, std::memory_order_relaxed);
    ++released;
  }
  return released;
}

}  // namespace

// splitmix64, from the finaliser of Steele, Lea, Flood (OOPSLA 2014)
std::uint64_t random_of(loop_instance& me) {
  std::uint64_t x = __atomic_add_fetch(&me.random_state, 0x9e3779b97f4a7c15u, __ATOMIC_RELAXED);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

int receive(loop_instance& me) {
  int events = 0;
  for (; events < max_datagrams_at_once; ++events) {
    const ssize_t got = recv(me.fd, me.buffer, sizeof me.buffer, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    after_receive(me.key);
    packet_head head;
    if (static_cast<std::size_t>(got) < sizeof head) continue;
    memcpy(&head, me.buffer, sizeof head);
    if (head.key != me.key || head.from_pe < 0 || head.from_pe >= me.how.n_pes) continue;  // foreign process
    if (std::atomic_ref<socklen_t>(me.peers[head.from_pe].name_bytes).load(std::memory_order_acquire) == 0) {
      os::locked hold(me.sending);
      learn_address(me, head.from_pe, head.from_number, head.from_key);
    }
    const char* payload = me.buffer + sizeof head;
    if (me.how.chaos_seed != 0)
      hold_back(me, head, payload, static_cast<std::size_t>(got) - sizeof head);
    else
      handle(me, head, payload);
  }
  if (me.how.chaos_seed != 0) events = release_due(me);
  acknowledge(me);
  return events;
}

void drop_held(loop_instance& me) {
  while (me.held != nullptr) {
    held_packet* p = me.held;
    me.held = p->next;
    free(p);
  }
}

}  // namespace oshen::transport
