// Connections that arrive. Until a peer has proven that it belongs to the job, it costs one of a few fixed entries. If
// none is free, the newcomer replaces the most expendable one, whose initiator tries again if it belongs to the job.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "os/clock.hpp"
#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr int most_accepted = 16;  // by one call
constexpr std::uint64_t own_attempt_ns = 1000000000;
constexpr std::uint64_t greeted_ns = 1000000000;  // how long a greeting keeps the last descriptor
constexpr std::uint64_t starved_pause_ns = 100000000;
constexpr std::uint64_t starved_limit_ns = 20000000000;
constexpr const char* no_descriptor = "Too many open files; raise the limit of open files (ulimit -n)";

sip_key own_key(const tcp_instance& me) { return key_of_acceptor(me.job_secret, me.own.key); }

// ---- descriptors ----------------------------------------------------------------------------------------------------

bool lacks_descriptor(int code) { return code == EMFILE || code == ENFILE; }

// If the spare descriptor is in use, this one takes its place at once, so that no other thread can get it.
void release(tcp_instance& me, int fd) {
  if (me.spare_fd < 0 && dup3(me.shared.fd, fd, O_CLOEXEC) == fd)
    me.spare_fd = fd;
  else
    close(fd);
}

void drop(tcp_instance& me, unproven& u) {
  if (u.fd >= 0) {
    release(me, u.fd);
    me.n_arriving.fetch_sub(1, std::memory_order_relaxed);
  }
  u = unproven{};
  u.kind = polled_kind::unproven;
}

bool is_less_expendable(const unproven& a, const unproven& b) {
  if (a.has_greeted != b.has_greeted) return a.has_greeted;
  if (a.n_of_origin != b.n_of_origin) return a.n_of_origin < b.n_of_origin;
  return a.since_ns > b.since_ns;
}

// A connection without a greeting, if there is one; of the origin that has the most of them, the oldest one. Null:
// there is none.
unproven* most_expendable(tcp_instance& me) {
  unproven* found = nullptr;
  for (unproven& u : me.arriving) {
    if (u.fd < 0) continue;
    u.n_of_origin = 0;
    for (const unproven& other : me.arriving) u.n_of_origin += other.fd >= 0 && other.origin == u.origin ? 1 : 0;
    if (found == nullptr || is_less_expendable(*found, u)) found = &u;
  }
  return found;
}

// Reads greetings that have arrived, before an entry is dropped.
void read_arriving(tcp_instance& me) {
  for (unproven& u : me.arriving)
    if (u.fd >= 0) continue_handshake(me, u);
}

unproven& free_entry(tcp_instance& me) {
  for (unproven& u : me.arriving)
    if (u.fd < 0) return u;
  unproven& u = *most_expendable(me);
  drop(me, u);
  return u;
}

// At the limit of descriptors, one stranger at a time can occupy the spare one, until the next connection arrives.
int accept_with_spare(tcp_instance& me) {
  if (me.spare_fd < 0) {
    unproven* const u = most_expendable(me);
    if (u != nullptr && (!u->has_greeted || os::now_ns() - u->since_ns > greeted_ns)) drop(me, *u);
  }
  if (me.spare_fd < 0) return -1;
  close(std::exchange(me.spare_fd, -1));
  const int fd = os::accept_stream(me.listener);
  if (fd < 0) static_cast<void>(keep_spare(me));
  return fd;
}

// True if a descriptor stays free for the next connection.
bool keep_spare_beside_strangers(tcp_instance& me) {
  if (keep_spare(me)) return true;
  if (unproven* const u = most_expendable(me); u != nullptr) drop(me, *u);
  return me.spare_fd >= 0;
}

// The listener stays readable, so the poll set leaves it out for a while.
void pause_accepting(tcp_instance& me) {
  const std::uint64_t now = os::now_ns();
  poll_for(me.shared, me.listener, me.listening, 0);
  me.accept_again_ns.store(now + starved_pause_ns, std::memory_order_relaxed);
  if (me.starved_since_ns == 0) me.starved_since_ns = now;
  if (now - me.starved_since_ns < starved_limit_ns) return;
  os::locked hold(me.explaining);
  if (me.reason[0] == '\0') snprintf(me.reason, sizeof me.reason, "cannot accept a connection: %s", no_descriptor);
  me.is_broken.store(true, std::memory_order_release);
}

// ---- the handshake --------------------------------------------------------------------------------------------------

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

// The peer ends with a message, because its next attempt would fail, too.
void refuse(tcp_instance& me, tcp_connection& c, int fd, const sip_sum& proof) {
  char what[160];
  static_cast<void>(os::send_some(fd, &proof, sizeof proof));
  release(me, fd);
  snprintf(what, sizeof what, "cannot accept the connection of PE %d: %s", c.pe, no_descriptor);
  end_attempt(c);
  os::locked hold(c.sending);
  lose(c, what, 0);
}

void welcome(tcp_instance& me, unproven& u) {
  const int fd = u.fd;
  const greeting g = u.its;
  const sip_sum number = u.own.number;
  const sip_key key = own_key(me);
  const sip_sum proof = prove(key, proof_of::welcome, g, number);
  const stream_keys keys = derive_keys(key, g, number);
  tcp_connection* c = adopter_of(me, g);
  if (c == nullptr) return drop(me, u);
  u.fd = -1;
  drop(me, u);
  me.n_arriving.fetch_sub(1, std::memory_order_relaxed);
  epoll_ctl(me.shared.fd, EPOLL_CTL_DEL, fd, nullptr);
  if (!keep_spare_beside_strangers(me)) return refuse(me, *c, fd, prove(key, proof_of::refusal, g, number));
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

bool keep_spare(tcp_instance& me) {
  if (me.spare_fd < 0) me.spare_fd = fcntl(me.shared.fd, F_DUPFD_CLOEXEC, 0);
  return me.spare_fd >= 0;
}

void accept_connections(tcp_instance& me) {
  if (me.n_arriving.load(std::memory_order_relaxed) > most_unproven - most_accepted) read_arriving(me);
  for (int i = 0; i < most_accepted; ++i) {
    int fd = os::accept_stream(me.listener);
    if (fd < 0 && lacks_descriptor(errno)) {
      fd = accept_with_spare(me);
      if (fd < 0 && (me.spare_fd < 0 || lacks_descriptor(errno))) return pause_accepting(me);
    }
    me.starved_since_ns = 0;
    if (fd < 0) return;
    unproven& u = free_entry(me);
    u.kind = polled_kind::unproven;
    u.fd = fd;
    u.since_ns = os::now_ns();
    u.origin = os::origin_of_stream(fd);
    me.n_arriving.fetch_add(1, std::memory_order_relaxed);
    if (!poll_for(me.shared, fd, u, EPOLLIN))
      drop(me, u);
    else
      continue_handshake(me, u);
  }
}

void tend_arriving(tcp_instance& me) {
  const std::uint64_t again_ns = me.accept_again_ns.load(std::memory_order_relaxed);
  if (me.n_arriving.load(std::memory_order_relaxed) == 0 && again_ns == 0) return;
  const std::uint64_t now = os::now_ns();
  for (unproven& u : me.arriving) {
    if (u.fd < 0 || now - u.since_ns < me.limits.unproven_ns) continue;
    continue_handshake(me, u);
    if (u.fd >= 0) drop(me, u);
  }
  if (again_ns == 0 || now < again_ns) return;
  me.accept_again_ns.store(0, std::memory_order_relaxed);
  poll_for(me.shared, me.listener, me.listening, EPOLLIN);
}

void continue_handshake(tcp_instance& me, unproven& u) {
  for (;;) {
    char* const to = u.has_greeted ? reinterpret_cast<char*>(&u.proof) : reinterpret_cast<char*>(&u.its);
    const std::size_t wanted = u.has_greeted ? sizeof u.proof : sizeof u.its;
    const std::ptrdiff_t got = os::receive_some(u.fd, to + u.received, wanted - u.received);
    if (got < 0) return drop(me, u);
    u.received += static_cast<std::size_t>(got);
    if (u.received < wanted) return;
    if (u.has_greeted) break;
    if (!challenge_it(me, u)) return drop(me, u);
  }
  if (!same_sum(u.proof, prove(own_key(me), proof_of::initiator, u.its, u.own.number))) return drop(me, u);
  welcome(me, u);
}

void drop_arriving(tcp_instance& me) {
  for (unproven& u : me.arriving) drop(me, u);
  if (me.spare_fd >= 0) close(std::exchange(me.spare_fd, -1));
}

}  // namespace oshen::transport::tcp
