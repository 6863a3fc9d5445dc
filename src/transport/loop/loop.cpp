#include "transport/loop/loop.hpp"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <new>

namespace oshen::transport {
namespace {

constexpr int most_gets = 256;  // of one PE that are not answered in full

struct loop_address {
  std::uint64_t number;
  std::uint64_t key;
};

bool available(const char*, char* why, std::size_t room) {
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    snprintf(why, room, "local sockets are refused: %s", strerror(errno));
    return false;
  }
  ::close(fd);
  return true;
}

// The name can be read by all of this machine, the key by nobody: datagrams without it are dropped.
bool bind_somewhere(loop_instance& me) {
  constexpr auto random = [](std::uint64_t& x) { return getrandom(&x, sizeof x, 0) == sizeof x; };
  if (!random(me.number) || !random(me.key)) return false;
  sockaddr_un name{};
  const socklen_t bytes = write_name(name, me.number);
  return bind(me.fd, reinterpret_cast<const sockaddr*>(&name), bytes) == 0;
}

void close_own(loop_instance* me) {
  if (me->peers != nullptr) drop_work(*me);
  drop_held(*me);
  if (me->fd >= 0) ::close(me->fd);
  free(me->peers);
  me->~loop_instance();
  free(me);
}

void close(instance* i) { close_own(&own(i)); }

bool open(const opening& how, instance** made, facts* what, char* why, std::size_t room) {
  void* memory = malloc(sizeof(loop_instance));
  if (memory == nullptr) return snprintf(why, room, "no memory"), false;
  auto* me = new (memory) loop_instance;
  me->how = how;
  me->memory = window(how);
  me->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  me->peers = static_cast<peer*>(calloc(static_cast<std::size_t>(how.n_pes), sizeof(peer)));
  me->dice = how.chaos_seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(how.pe);
  if (me->fd < 0 || me->peers == nullptr || !bind_somewhere(*me)) {
    snprintf(why, room, "cannot make a local socket: %s", strerror(errno));
    close_own(me);
    return false;
  }
  snprintf(me->about, sizeof me->about, "datagrams between processes of this machine%s",
           how.chaos_seed != 0 ? ", late and in another order (OSHEN_CHAOS)" : "");
  what->message_bytes = 4096;
  what->messages_in_order = true;
  what->about = me->about;
  *made = reinterpret_cast<instance*>(me);
  return true;
}

std::size_t local_address(instance* i, void* address) {
  const loop_instance* me = &own(i);
  const loop_address a{me->number, me->key};
  memcpy(address, &a, sizeof a);
  return sizeof a;
}

outcome connect_to(instance* i, int pe, const void* address, std::size_t bytes) {
  loop_address a;
  if (bytes < sizeof a) return outcome::failed;
  memcpy(&a, address, sizeof a);
  loop_instance& me = own(i);
  os::locked hold(me.sending);
  know(me, pe, a.number, a.key);
  return outcome::done;
}

const char* explain(instance* i) {
  const int error = own(i).last_error;
  return error == 0 ? "no memory" : strerror(error);
}

stream* stream_open(instance* i, unsigned) {
  void* memory = malloc(sizeof(loop_stream));
  if (memory == nullptr) return nullptr;
  return reinterpret_cast<stream*>(new (memory) loop_stream{.home = &own(i)});
}
void stream_close(stream* s) { free(s); }

packet_head head_on(loop_stream* s, packet_kind kind, std::uint64_t place) {
  packet_head head{};
  head.kind = kind;
  head.on_stream = s != nullptr;
  head.epoch = s != nullptr ? __atomic_load_n(&s->epoch, __ATOMIC_RELAXED) : 0;
  head.stream = reinterpret_cast<std::uint64_t>(s);
  head.place = place;
  return head;
}

outcome put(stream* on, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* left) {
  loop_stream* s = own(on);
  return send_packets(*s->home, pe, head_on(s, packet_kind::put, to), from, bytes, s, left, if_full::say_again);
}

// The bytes come back in pieces, each of which says where it goes.
outcome ask(loop_stream* s, int pe, char* to, std::uint64_t from, std::size_t bytes, completion* left) {
  loop_instance& me = *s->home;
  if (me.questions.load(std::memory_order_relaxed) >= most_gets) return outcome::again;
  auto* q = static_cast<question*>(malloc(sizeof(question)));
  if (q == nullptr) return outcome::failed;
  *q = {.from = s, .left = left, .missing = bytes};
  packet_head head = head_on(nullptr, packet_kind::get, from);
  head.bytes = static_cast<std::uint32_t>(bytes);
  head.question = reinterpret_cast<std::uint64_t>(to);
  head.stream = reinterpret_cast<std::uint64_t>(q);
  s->uncounted.fetch_add(1, std::memory_order_relaxed);
  me.questions.fetch_add(1, std::memory_order_relaxed);
  const outcome o = send_packets(me, pe, head, nullptr, 0, nullptr, nullptr, if_full::say_again);
  if (o == outcome::done) return o;
  s->uncounted.fetch_sub(1, std::memory_order_relaxed);
  me.questions.fetch_sub(1, std::memory_order_relaxed);
  free(q);
  return o;
}

outcome get(stream* s, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* left) {
  return ask(own(s), pe, static_cast<char*>(to), from, bytes, left);
}

outcome send(instance* i, stream* s, int pe, const void* bytes, std::size_t n) {
  return send_packets(own(i), pe, head_on(own(s), packet_kind::message, 0), bytes, n, nullptr, nullptr,
                      s == nullptr ? if_full::keep_copy : if_full::say_again);
}

// Datagrams of one sender come in the order they were sent; only chaos has to be told.
outcome fence(stream* s) {
  __atomic_add_fetch(&own(s)->epoch, 1, __ATOMIC_RELAXED);
  return outcome::done;
}

outcome flush(stream* s) {
  return own(s)->uncounted.load(std::memory_order_acquire) == 0 ? outcome::done : outcome::again;
}

int progress(instance* i) {
  loop_instance& me = own(i);
  int events = send_work(me);
  if (!me.receiving.try_lock()) return events;
  events += hear(me);
  me.receiving.unlock();
  return events;
}

int wait_fd(instance* i) { return own(i).fd; }
bool may_block(instance* i) {
  const loop_instance* me = &own(i);
  return me->works.load(std::memory_order_relaxed) == 0 && me->n_held.load(std::memory_order_relaxed) == 0;
}

}  // namespace

extern const transport loop_transport;
constinit const transport loop_transport{.size = sizeof(transport),
                               .name = "loop",
                               .title = "between processes of one machine, by datagrams; for virtual nodes and tests",
                               .available = available,
                               .offers = nullptr,
                               .open = open,
                               .local_address = local_address,
                               .connect = connect_to,
                               .explain = explain,
                               .close = close,
                               .stream_open = stream_open,
                               .stream_close = stream_close,
                               .put = put,
                               .get = get,
                               .send = send,
                               .fence = fence,
                               .flush = flush,
                               .progress = progress,
                               .wait_fd = wait_fd,
                               .may_block = may_block,
                               .put_signal = nullptr,
                               .atomic = nullptr};

}  // namespace oshen::transport
