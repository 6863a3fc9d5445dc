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

constexpr int max_open_gets = 256;  // of one PE

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

// Every process of the machine can read the name. The key is secret: datagrams without it are dropped.
bool bind_somewhere(loop_instance& me) {
  constexpr auto random = [](std::uint64_t& x) { return getrandom(&x, sizeof x, 0) == sizeof x; };
  if (!random(me.number) || !random(me.key)) return false;
  sockaddr_un name{};
  const socklen_t bytes = write_name(name, me.number);
  return bind(me.fd, reinterpret_cast<const sockaddr*>(&name), bytes) == 0;
}

void close_own(loop_instance* me) {
  if (me->peers != nullptr) drop_queued(*me);
  for (int pe = 0; me->peers != nullptr && pe < me->how.n_pes; ++pe)
    if (me->peers[pe].has_own_fd) ::close(me->peers[pe].own_fd);
  drop_held(*me);
  if (me->fd >= 0) ::close(me->fd);
  free(me->peers);
  me->~loop_instance();
  free(me);
}

void close(instance* i) { close_own(&own(i)); }

bool open(const open_params& params, instance** made, attributes* properties, char* why, std::size_t room) {
  void* memory = malloc(sizeof(loop_instance));
  if (memory == nullptr) {
    snprintf(why, room, "no memory");
    return false;
  }
  auto* me = new (memory) loop_instance;
  me->how = params;
  me->memory = memory_regions(params);
  me->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  me->peers = static_cast<peer*>(calloc(static_cast<std::size_t>(params.n_pes), sizeof(peer)));
  me->random_state = params.chaos_seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(params.pe);
  if (me->fd < 0 || me->peers == nullptr || !bind_somewhere(*me)) {
    snprintf(why, room, "cannot make a local socket: %s", strerror(errno));
    close_own(me);
    return false;
  }
  snprintf(me->about, sizeof me->about, "datagrams between processes of this machine%s",
           params.chaos_seed != 0 ? ", late and in another order (OSHEN_CHAOS)" : "");
  properties->message_bytes = packet_bytes;
  properties->messages_in_order = true;
  properties->about = me->about;
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
  learn_address(me, pe, a.number, a.key);
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

packet_head head_on(loop_stream* s, packet_kind kind, std::uint64_t offset) {
  packet_head head{};
  head.kind = kind;
  head.on_stream = s != nullptr;
  head.epoch = s != nullptr ? __atomic_load_n(&s->epoch, __ATOMIC_RELAXED) : 0;
  head.stream = reinterpret_cast<std::uint64_t>(s);
  head.offset = offset;
  return head;
}

outcome put(stream* on, int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local) {
  loop_stream* s = own(on);
  const operation_packets packets{.head = head_on(s, packet_kind::put, to),
                                  .data = static_cast<const char*>(from),
                                  .left = bytes,
                                  .of = s,
                                  .local = local};
  return send_packets(*s->home, pe, packets, if_full::refuse);
}

// The reply comes in several datagrams, each of which carries its destination.
outcome send_get(loop_stream* s, int pe, char* to, std::uint64_t from, std::size_t bytes, completion* local) {
  loop_instance& me = *s->home;
  if (me.open_gets.load(std::memory_order_relaxed) >= max_open_gets) return outcome::would_block;
  auto* r = static_cast<get_request*>(malloc(sizeof(get_request)));
  if (r == nullptr) return outcome::failed;
  *r = {.from = s, .epoch = s->operations.enter(), .local = local, .missing_bytes = bytes};
  packet_head head = head_on(nullptr, packet_kind::get, from);
  head.bytes = static_cast<std::uint32_t>(bytes);
  head.request = reinterpret_cast<std::uint64_t>(to);
  head.stream = reinterpret_cast<std::uint64_t>(r);
  me.open_gets.fetch_add(1, std::memory_order_relaxed);
  const outcome o = send_packets(me, pe, {.head = head}, if_full::refuse);
  if (o == outcome::done) return o;
  s->operations.leave(r->epoch);
  me.open_gets.fetch_sub(1, std::memory_order_relaxed);
  free(r);
  return o;
}

outcome get(stream* s, int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local) {
  return send_get(own(s), pe, static_cast<char*>(to), from, bytes, local);
}

outcome send(instance* i, stream* s, int pe, const void* bytes, std::size_t n) {
  const operation_packets packets{
      .head = head_on(own(s), packet_kind::message, 0), .data = static_cast<const char*>(bytes), .left = n};
  return send_packets(own(i), pe, packets, s == nullptr ? if_full::queue_copy : if_full::refuse);
}

// Datagrams of one sender arrive in order; the epoch restricts chaos.
outcome fence(stream* s, stream_point&) {
  __atomic_add_fetch(&own(s)->epoch, 1, __ATOMIC_RELAXED);
  return outcome::done;
}

outcome flush(stream* s, stream_point& point) {
  epochs& operations = own(s)->operations;
  if (!point.begun) point = {.begun = true, .epochs = {operations.now()}};
  return operations.have_passed(point.epochs[0]) ? outcome::done : outcome::would_block;
}

int progress(instance* i) {
  loop_instance& me = own(i);
  int events = send_queued(me);
  if (!me.receiving.try_lock()) return events;
  events += receive(me);
  me.receiving.unlock();
  return events;
}

int wait_fd(instance* i) { return own(i).fd; }
blocking may_block(instance* i) {
  const loop_instance& me = own(i);
  const int later = me.n_queued.load(std::memory_order_relaxed) + me.n_held.load(std::memory_order_relaxed);
  return later == 0 ? blocking::until_readable : blocking::for_a_moment;
}

}  // namespace

extern const transport loop_transport;
constinit const transport loop_transport{
    .size = sizeof(transport),
    .name = "loop",
    .title = "between processes of one machine, by datagrams; for virtual nodes and tests",
    .available = available,
    .rank = nullptr,
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
