#include "transport/tcp/tcp.hpp"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "base/settings.hpp"
#include "bootstrap/job_secret.hpp"
#include "os/process.hpp"

namespace oshen::transport {
namespace tcp {
namespace {

bool available(const char* options, char* why, std::size_t room) {
  if (!has_wanted_interface(options, why, room)) return false;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    snprintf(why, room, "sockets are refused: %s", strerror(errno));
    return false;
  }
  ::close(fd);
  return true;
}

bool is_secure() {
  const char* text = setting_text("OSHEN_SECURE");
  return text != nullptr && strcmp(text, "1") == 0;
}

void destroy(tcp_instance* me) {
  drop_arriving(*me);
  while (me->all_connections != nullptr) {
    tcp_connection* c = me->all_connections;
    me->all_connections = c->next;
    free_connection(c);
  }
  close_separate(*me);
  if (me->listener >= 0) ::close(me->listener);
  close_engine(me->shared);
  free(me->peer_addresses);
  me->~tcp_instance();
  free(me);
}

bool allocate(tcp_instance& me) {
  const auto n_pes = static_cast<std::size_t>(me.how.n_pes);
  me.peer_addresses = static_cast<const void**>(calloc(n_pes, sizeof(void*)));
  return me.peer_addresses != nullptr && open_engine(me.shared, me);
}

bool open_sockets(tcp_instance& me, char* why, std::size_t room) {
  if (!os::random_bytes(&me.own.key, sizeof me.own.key)) return snprintf(why, room, "no randomness"), false;
  if (!choose_congestion_control(me.congestion, why, room)) return false;
  me.listener = listen_at(me.own, me.how.options, me.congestion, why, room);
  if (me.listener < 0) return false;
  static_cast<void>(keep_spare(me));
  if (!poll_for(me.shared, me.listener, me.listening, EPOLLIN))
    return snprintf(why, room, "epoll: %s", strerror(errno)), false;
  return true;
}

void describe(tcp_instance& me) {
  char where[64] = "this machine";
  if (me.own.n_addresses != 0) os::write_address(me.own.addresses[0], where, sizeof where);
  snprintf(me.about, sizeof me.about, "sockets of the kernel at %s, port %d%s%s%s%s", where, me.own.port,
           me.congestion.wanted() != nullptr ? ", " : "", me.congestion.name, me.authenticates ? ", authenticated" : "",
           me.how.chaos_seed != 0 ? ", late and in parts (OSHEN_CHAOS)" : "");
}

bool open(const open_params& params, instance** made, attributes* properties, char* why, std::size_t room) {
  if (!available(params.options, why, room)) return false;
  void* memory = malloc(sizeof(tcp_instance));
  if (memory == nullptr) return snprintf(why, room, "no memory"), false;
  auto* me = new (memory) tcp_instance;
  me->how = params;
  me->limits.deadline_ns = std::uint64_t{1000000000} * params.deadline_seconds;
  me->job_secret = bootstrap::job_secret();
  me->authenticates = is_secure();
  me->memory = memory_regions(params);
  me->random_state = params.chaos_seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(params.pe);
  snprintf(why, room, "no memory");
  if (!allocate(*me) || !open_sockets(*me, why, room)) {
    destroy(me);
    return false;
  }
  describe(*me);
  properties->message_bytes = message_bytes;
  properties->signals_in_order = true;
  properties->messages_in_order = true;
  properties->has_cpu_atomics = true;
  properties->about = me->about;
  *made = reinterpret_cast<instance*>(me);
  return true;
}

// Peers that are still open learn that the end is intended.
void close(instance* i) {
  tcp_instance& me = own(i);
  for (tcp_connection* c = me.all_connections; c != nullptr; c = c->next) {
    os::locked hold(c->sending);
    if (c->now.load(std::memory_order_relaxed) != connection_state::open) continue;
    outgoing o{.preamble = {head_of(frame_kind::goodbye, 0, 0), {}}, .is_limited = false};
    send_queued(*c);
    static_cast<void>(submit(*c, o));
    if (c->fd >= 0) shutdown(c->fd, SHUT_WR);
  }
  destroy(&me);
}

std::size_t local_address(instance* i, void* address) {
  const pe_address& mine = own(i).own;
  memcpy(address, &mine, used_bytes(mine));
  return used_bytes(mine);
}

outcome connect_to(instance* i, int pe, const void* address, std::size_t bytes) {
  tcp_instance& me = own(i);
  pe_address there{};
  if (!read_address(there, address, bytes)) return outcome::failed;
  os::locked hold(me.connecting);
  me.peer_addresses[pe] = address;
  me.address_bytes = bytes;
  return outcome::done;
}

bool may_connect(instance* i, const void* address, std::size_t bytes, char* why, std::size_t room) {
  pe_address there{};
  if (!read_address(there, address, bytes)) return snprintf(why, room, "it has sent no address"), false;
  os::network_address all[most_candidates];
  const int n = list_candidates(own(i).own, there, all);
  for (int k = 0; k < n; ++k)
    if (os::has_route(all[k])) return true;
  char where[64] = "its host has no address";
  if (n > 0) os::write_address(all[n - 1], where, sizeof where);
  snprintf(why, room, "no route to %s", where);
  return false;
}

const char* explain(instance* i) {
  tcp_instance& me = own(i);
  os::locked hold(me.explaining);
  return me.reason[0] != '\0' ? me.reason : "no memory";
}

stream* stream_open(instance* i, unsigned options) {
  tcp_instance& me = own(i);
  void* memory = malloc(sizeof(tcp_stream));
  if (memory == nullptr) return nullptr;
  auto* s = new (memory) tcp_stream{.home = &me, .via = &me.shared, .is_ordered = (options & ordered) != 0};
  if (engine* e = (options & separate) != 0 ? take_separate(me) : nullptr; e != nullptr) {
    s->via = e;
    s->operations = &e->operations;
  }
  s->has_direct = me.how.uses_direct && !s->is_ordered;
  open_direct(*s);
  return reinterpret_cast<stream*>(s);
}

void stream_close(stream* on) {
  tcp_stream* s = own(on);
  forget(*s->home, *s);
  if (is_separate(*s)) s->home->separate.give(*s->via);
  free(s);
}

direct_path* direct(stream* s) { return own(s)->has_direct ? &own(s)->direct : nullptr; }

int progress(instance* i) {
  tcp_instance& me = own(i);
  const int events = advance_if_free(me.shared) + (me.separate.is_empty() ? 0 : me.separate.advance());
  return events == 0 && me.is_broken.load(std::memory_order_acquire) ? -1 : events;
}

int wait_fd(instance* i) { return own(i).separate.wait_fd(own(i).shared.fd); }
blocking may_block(instance* i) {
  lose_silent_peers(own(i));
  watch_all(i);
  return std::max(own(i).shared.may_block(), own(i).separate.may_block());
}

network_rank rank(const char*, int) { return rank_of("kernel_tcp", ""); }

// A PE announces all of its addresses, and peers try them in this order.
void offers(const char* options, offer_callback report, void* with) {
  pe_address mine{};
  char why[256];
  const network_rank ours = rank(options, 0);
  congestion_control how{};
  if (!find_addresses(mine, options, why, sizeof why)) return report(with, "addresses", why);
  if (!choose_congestion_control(how, why, sizeof why)) return report(with, "connections", why);
  for (int i = 0; i < mine.n_addresses; ++i) {
    char where[64], text[160];
    os::write_address(mine.addresses[i], where, sizeof where);
    snprintf(text, sizeof text, "%s, score %d (%s)", where, ours.score, ours.reason);
    report(with, text, nullptr);
  }
}

}  // namespace
}  // namespace tcp

extern const transport tcp_transport;
constinit const transport tcp_transport{.size = sizeof(transport),
                                        .name = "tcp",
                                        .title = "between hosts, by the TCP sockets of the kernel; needs no library",
                                        .available = tcp::available,
                                        .rank = tcp::rank,
                                        .offers = tcp::offers,
                                        .open = tcp::open,
                                        .local_address = tcp::local_address,
                                        .connect = tcp::connect_to,
                                        .may_connect = tcp::may_connect,
                                        .explain = tcp::explain,
                                        .close = tcp::close,
                                        .stream_open = tcp::stream_open,
                                        .stream_close = tcp::stream_close,
                                        .put = tcp::put,
                                        .get = tcp::get,
                                        .send = tcp::send,
                                        .fence = tcp::fence,
                                        .flush = tcp::flush,
                                        .progress = tcp::progress,
                                        .wait_fd = tcp::wait_fd,
                                        .may_block = tcp::may_block,
                                        .leave_out = tcp::leave_out,
                                        .watch_all = tcp::watch_all,
                                        .put_signal = tcp::put_signal,
                                        .atomic = tcp::atomic,
                                        .direct = tcp::direct,
                                        .stream_progress = tcp::stream_progress,
                                        .stream_hand_over = tcp::stream_hand_over,
                                        .watch_streams = tcp::watch_streams};

}  // namespace oshen::transport
