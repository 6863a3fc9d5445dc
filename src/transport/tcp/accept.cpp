// Connections that arrive. Until a peer has proven that it belongs to the job, it costs one of a few fixed entries. If
// none is free, the newcomer replaces the oldest one, whose initiator tries again if it belongs to the job.
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/clock.hpp"
#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr int most_accepted = 16;  // by one call
constexpr std::uint64_t own_attempt_ns = 1000000000;

sip_key own_key(const tcp_instance& me) { return key_of_acceptor(me.job_secret, me.own.key); }

void drop(unproven& u) {
  if (u.fd >= 0) close(u.fd);
  u = unproven{};
  u.kind = polled_kind::unproven;
}

unproven& free_entry(tcp_instance& me) {
  unproven* oldest = &me.arriving[0];
  for (unproven& u : me.arriving) {
    if (u.fd < 0) return u;
    if (u.since_ns < oldest->since_ns) oldest = &u;
  }
  drop(*oldest);
  return *oldest;
}

// True if the own attempt goes on instead. Once the host there has accepted it, both PEs might keep different ones.
bool prefers_own(const tcp_instance& me, const tcp_connection& c) {
  if (c.current_attempt == nullptr || c.pe < me.how.pe) return false;
  const connection_attempt& a = *c.current_attempt;
  return a.now == connection_attempt::greets || a.now == connection_attempt::proves || a.since_ns == 0 ||
         os::now_ns() - a.since_ns < own_attempt_ns;
}

// The connection that goes on with this descriptor; null: it is not wanted.
tcp_connection* adopter_of(tcp_instance& me, const greeting& g) {
  os::locked hold(me.connecting);
  if (g.use == purpose::separate) return new_connection(me.shared, g.from_pe, purpose::separate);
  tcp_connection* c = me.shared.by_pe[g.from_pe].load(std::memory_order_relaxed);
  if (c != nullptr) return c->now.load() != connection_state::connecting || prefers_own(me, *c) ? nullptr : c;
  c = new_connection(me.shared, g.from_pe, purpose::shared);
  if (c != nullptr) me.shared.by_pe[g.from_pe].store(c, std::memory_order_release);
  return c;
}

void welcome(tcp_instance& me, unproven& u) {
  const int fd = u.fd;
  const greeting g = u.its;
  const sip_key key = own_key(me);
  const sip_sum proof = prove(key, proof_of::welcome, g, u.own.number);
  const stream_keys keys = derive_keys(key, g, u.own.number);
  tcp_connection* c = adopter_of(me, g);
  if (c == nullptr) return drop(u);
  u.fd = -1;
  drop(u);
  epoll_ctl(me.shared.fd, EPOLL_CTL_DEL, fd, nullptr);
  if (os::send_some(fd, &proof, sizeof proof) != sizeof proof) {
    close(fd);
    os::locked hold(c->sending);
    return lose(*c, "handshake", errno);
  }
  become_open(*c, fd, keys.of_acceptor, keys.of_initiator);
}

bool is_greeting_of_job(const tcp_instance& me, const greeting& g) {
  return memcmp(g.protocol, protocol_name, sizeof protocol_name) == 0 && g.from_pe >= 0 && g.from_pe < me.how.n_pes &&
         g.from_pe != me.how.pe && g.to_pe == me.how.pe && (g.use == purpose::shared || g.use == purpose::separate);
}

bool challenge_it(tcp_instance& me, unproven& u) {
  if (!is_greeting_of_job(me, u.its) || !os::random_bytes(&u.own.number, sizeof u.own.number)) return false;
  u.own.proof = prove(own_key(me), proof_of::acceptor, u.its, u.own.number);
  u.has_greeted = true;
  u.received = 0;
  return os::send_some(u.fd, &u.own, sizeof u.own) == sizeof u.own;
}

}  // namespace

void accept_connections(tcp_instance& me) {
  for (int i = 0; i < most_accepted; ++i) {
    const int fd = os::accept_stream(me.listener);
    if (fd < 0) return;
    unproven& u = free_entry(me);
    u.kind = polled_kind::unproven;
    u.fd = fd;
    u.since_ns = os::now_ns();
    if (!poll_for(me.shared, fd, u, EPOLLIN))
      drop(u);
    else
      continue_handshake(me, u);
  }
}

void continue_handshake(tcp_instance& me, unproven& u) {
  for (;;) {
    char* const to = u.has_greeted ? reinterpret_cast<char*>(&u.proof) : reinterpret_cast<char*>(&u.its);
    const std::size_t wanted = u.has_greeted ? sizeof u.proof : sizeof u.its;
    const std::ptrdiff_t got = os::receive_some(u.fd, to + u.received, wanted - u.received);
    if (got < 0) return drop(u);
    u.received += static_cast<std::size_t>(got);
    if (u.received < wanted) return;
    if (u.has_greeted) break;
    if (!challenge_it(me, u)) return drop(u);
  }
  if (!same_sum(u.proof, prove(own_key(me), proof_of::initiator, u.its, u.own.number))) return drop(u);
  welcome(me, u);
}

void drop_arriving(tcp_instance& me) {
  for (unproven& u : me.arriving) drop(u);
}

}  // namespace oshen::transport::tcp
