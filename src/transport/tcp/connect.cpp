// Connections that this PE begins. The candidates of the peer's address are tried in turn, again and again until the
// deadline. If both PEs begin at once, the attempt of the lower PE succeeds: it refuses the other one (accept.cpp).
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <new>

#include "os/clock.hpp"
#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr std::uint64_t second = 1000000000;
constexpr std::uint64_t first_pause_ns = 5000000;  // the peer has refused, because it connects to this PE
constexpr std::uint64_t pause_ns = second / 10;    // before the list of addresses is tried again
constexpr int keep_alive_idle_seconds = 5, keep_alive_interval_seconds = 5, keep_alive_probes = 4;

// Among the codes of a failed attempt: the peer has proven that it has no descriptor for the connection.
constexpr int no_descriptor_there = EUSERS;

void set(int fd, int level, int option, int value) {
  static_cast<void>(setsockopt(fd, level, option, &value, sizeof value));
}

// Keep-alive notices a host that has gone while nothing is sent.
void prepare(int fd) {
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPIDLE, keep_alive_idle_seconds);
  set(fd, IPPROTO_TCP, TCP_KEEPINTVL, keep_alive_interval_seconds);
  set(fd, IPPROTO_TCP, TCP_KEEPCNT, keep_alive_probes);
}

bool read_address_of(const tcp_instance& me, int pe, pe_address& to) {
  return me.peer_addresses[pe] != nullptr && read_address(to, me.peer_addresses[pe], me.address_bytes);
}

void close_attempt(connection_attempt& a) {
  if (a.fd >= 0) close(a.fd);
  a.fd = -1;
  a.received = 0;
  a.now = connection_attempt::waits;
}

void give_up(tcp_connection& c, const pe_address& to, int code) {
  char where[64] = "", what[256];
  os::network_address all[most_candidates];
  const int n = list_candidates(c.home->home->own, to, all);
  if (n > 0) os::write_address(all[n - 1], where, sizeof where);
  const char* cure = "open this port in the firewall, or set OSHEN_TCP_PORTS, OSHEN_TCP_ADDRESS or OSHEN_INTERFACE";
  const char* reason = strerror(code);
  if (code == EMFILE || code == ENFILE) cure = "raise the limit of open files (ulimit -n)";
  if (code == EPROTO) {
    reason = "the process there does not prove that it belongs to this job";
    cure = "the address may lead elsewhere; set OSHEN_TCP_ADDRESS or OSHEN_INTERFACE";
  }
  if (code == no_descriptor_there) {
    reason = "the PE there has too many open files";
    cure = "raise the limit of open files (ulimit -n) on its host";
  }
  snprintf(what, sizeof what, "cannot connect to %s port %d: %s; %s", where, to.port, reason, cure);
  end_attempt(c);
  os::locked hold(c.sending);
  lose(c, what, 0);
}

// The attempt has failed with `code`; 0: the peer has closed the connection, perhaps in favour of its own.
void try_next(tcp_connection& c, const pe_address& to, int code) {
  connection_attempt& a = *c.current_attempt;
  const std::uint64_t now = os::now_ns();
  os::network_address all[most_candidates];
  const int n = list_candidates(c.home->home->own, to, all);
  const bool was_answered =
      code != EPROTO && (a.now == connection_attempt::greets || a.now == connection_attempt::proves);
  close_attempt(a);
  a.retry_ns = now + (was_answered && code == 0 ? first_pause_ns : 0);
  if (++a.candidate >= n) {
    a.candidate = 0;
    if (a.retry_ns == now) a.retry_ns = now + pause_ns;
  }
  if (was_answered) a.deadline_ns = now + c.home->home->limits.deadline_ns;
  const bool is_hopeless = code == EMFILE || code == ENFILE || n == 0;
  if (is_hopeless || now >= a.deadline_ns) give_up(c, to, code == 0 ? ECONNRESET : code);
}

void begin_connecting(tcp_connection& c, const pe_address& to) {
  connection_attempt& a = *c.current_attempt;
  os::network_address all[most_candidates];
  const int n = list_candidates(c.home->home->own, to, all);
  if (a.candidate >= n) return try_next(c, to, EHOSTUNREACH);
  a.since_ns = os::now_ns();
  a.fd = os::begin_connect(all[a.candidate], to.port, c.home->home->congestion.wanted());
  if (a.fd < 0) return try_next(c, to, errno);
  prepare(a.fd);
  a.now = connection_attempt::connects;
  if (!poll_for(*c.home, a.fd, c, EPOLLOUT)) try_next(c, to, errno);
}

// True if the bytes have been sent whole; such short texts always fit into an empty socket.
bool sends(tcp_connection& c, const pe_address& to, const void* bytes, std::size_t n) {
  const std::ptrdiff_t sent = os::send_some(c.current_attempt->fd, bytes, n);
  if (sent != static_cast<std::ptrdiff_t>(n)) try_next(c, to, sent < 0 ? errno : EPROTO);
  return sent == static_cast<std::ptrdiff_t>(n);
}

void greet(tcp_connection& c, const pe_address& to) {
  connection_attempt& a = *c.current_attempt;
  const tcp_instance& me = *c.home->home;
  a.own = {.protocol = {}, .from_pe = me.how.pe, .to_pe = c.pe, .use = c.use, .unused = 0, .number = {}};
  memcpy(a.own.protocol, protocol_name, sizeof protocol_name);
  if (!os::random_bytes(&a.own.number, sizeof a.own.number)) return try_next(c, to, EIO);
  a.now = connection_attempt::greets;
  a.since_ns = os::now_ns();
  if (sends(c, to, &a.own, sizeof a.own)) poll_for(*c.home, a.fd, c, EPOLLIN);
}

// Receives up to `n` bytes of the answer; true if all are here.
bool receives(tcp_connection& c, const pe_address& to, std::size_t n) {
  connection_attempt& a = *c.current_attempt;
  const std::ptrdiff_t got = os::receive_some(a.fd, a.bytes + a.received, n - a.received);
  if (got < 0) {
    try_next(c, to, errno);
    return false;
  }
  a.received += static_cast<std::size_t>(got);
  return a.received == n;
}

void answer_challenge(tcp_connection& c, const pe_address& to) {
  connection_attempt& a = *c.current_attempt;
  if (!receives(c, to, sizeof a.given)) return;
  const challenge given = a.given;
  const sip_key key = key_of_acceptor(c.home->home->job_secret, to.key);
  if (!same_sum(given.proof, prove(key, proof_of::acceptor, a.own, given.number))) return try_next(c, to, EPROTO);
  const sip_sum proof = prove(key, proof_of::initiator, a.own, given.number);
  a.of_streams = derive_keys(key, a.own, given.number);
  a.now = connection_attempt::proves;
  a.received = 0;
  a.since_ns = os::now_ns();
  a.refusal = prove(key, proof_of::refusal, a.own, given.number);
  a.own.number = prove(key, proof_of::welcome, a.own, given.number);  // what the welcome must be
  static_cast<void>(sends(c, to, &proof, sizeof proof));
}

void await_welcome(tcp_connection& c, const pe_address& to) {
  connection_attempt& a = *c.current_attempt;
  if (!receives(c, to, sizeof a.welcome)) return;
  if (same_sum(a.welcome, a.refusal)) return give_up(c, to, no_descriptor_there);
  if (!same_sum(a.welcome, a.own.number)) return try_next(c, to, EPROTO);
  const int fd = a.fd;
  const stream_keys keys = a.of_streams;
  a.fd = -1;
  become_open(c, fd, keys.of_initiator, keys.of_acceptor);
}

bool is_connected(int fd) {
  sockaddr_storage peer;
  socklen_t bytes = sizeof peer;
  return getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &bytes) == 0;
}

// Takes one step of the attempt, if it can go on.
void step(tcp_connection& c, std::uint64_t now) {
  connection_attempt& a = *c.current_attempt;
  pe_address to{};
  if (!read_address_of(*c.home->home, c.pe, to)) return give_up(c, to, EDESTADDRREQ);
  switch (a.now) {
    case connection_attempt::waits:
      if (now >= a.retry_ns) begin_connecting(c, to);
      return;
    case connection_attempt::connects:
      if (const int code = os::error_of_connect(a.fd); code != 0) return try_next(c, to, code);
      if (is_connected(a.fd)) return greet(c, to);
      break;
    case connection_attempt::greets: answer_challenge(c, to); break;
    case connection_attempt::proves: await_welcome(c, to); break;
  }
  if (c.current_attempt == nullptr || a.now == connection_attempt::waits) return;
  if (now > a.since_ns + (a.now == connection_attempt::connects ? c.home->home->limits.candidate_ns
                                                                : c.home->home->limits.answer_ns))
    try_next(c, to, ETIMEDOUT);
}

}  // namespace

tcp_connection* new_connection(engine& e, int pe, purpose use) {
  void* memory = malloc(sizeof(tcp_connection));
  if (memory == nullptr) return nullptr;
  auto* c = new (memory) tcp_connection;
  c->kind = polled_kind::connection;
  c->pe = pe;
  c->home = &e;
  c->use = use;
  tcp_instance& me = *e.home;
  c->next = me.all_connections;
  me.all_connections = c;
  return c;
}

tcp_connection* connection_to(engine& e, int pe) {
  if (tcp_connection* c = e.by_pe[pe].load(std::memory_order_acquire); c != nullptr) [[likely]]
    return c;
  tcp_instance& me = *e.home;
  os::locked hold(me.connecting);
  if (tcp_connection* c = e.by_pe[pe].load(std::memory_order_relaxed); c != nullptr) return c;
  tcp_connection* c = new_connection(e, pe, &e == &me.shared ? purpose::shared : purpose::separate);
  void* memory = c != nullptr ? malloc(sizeof(connection_attempt)) : nullptr;
  if (memory == nullptr) return nullptr;
  c->current_attempt = new (memory) connection_attempt;
  c->current_attempt->deadline_ns = os::now_ns() + me.limits.deadline_ns;
  c->next_connecting = e.newest;
  e.newest = c;
  e.n_connecting.fetch_add(1);
  e.by_pe[pe].store(c, std::memory_order_release);
  return c;
}

void end_attempt(tcp_connection& c) {
  if (c.current_attempt == nullptr) return;
  close_attempt(*c.current_attempt);
  free(c.current_attempt);
  c.current_attempt = nullptr;
  c.home->n_connecting.fetch_sub(1);
}

namespace {

bool begin_records(tcp_connection& c, const sip_key& of_sent, const sip_key& of_received) {
  void* memory = malloc(sizeof(record_layer));
  if (memory == nullptr) return false;
  c.records = new (memory) record_layer;
  c.records->out.begin(of_sent);
  c.records->in.begin(of_received);
  return true;
}

}  // namespace

void become_open(tcp_connection& c, int fd, const sip_key& of_sent, const sip_key& of_received) {
  end_attempt(c);
  prepare(fd);
  os::locked hold(c.sending);
  c.fd = fd;
  if (c.home->home->authenticates && !begin_records(c, of_sent, of_received)) return lose(c, "no memory", 0);
  c.now.store(connection_state::open, std::memory_order_release);
  if (!poll_for(*c.home, fd, c, EPOLLIN)) return lose(c, "epoll", errno);
  send_queued(c);
}

namespace {

// Takes all steps that are possible now.
void advance_attempt(tcp_connection& c, std::uint64_t now) {
  while (c.current_attempt != nullptr) {
    const connection_attempt::step before = c.current_attempt->now;
    step(c, now);
    if (c.current_attempt == nullptr || c.current_attempt->now == before ||
        c.current_attempt->now == connection_attempt::waits)
      return;
  }
}

void take_begun(engine& e) {
  os::locked hold(e.home->connecting);
  while (e.newest != nullptr) {
    tcp_connection* c = e.newest;
    e.newest = c->next_connecting;
    c->next_connecting = e.attempting;
    e.attempting = c;
  }
}

}  // namespace

int advance_attempts(engine& e) {
  if (e.n_connecting.load(std::memory_order_relaxed) == 0) return 0;
  take_begun(e);
  const std::uint64_t now = os::now_ns();
  int n = 0;
  for (tcp_connection** at = &e.attempting; *at != nullptr;) {
    tcp_connection& c = **at;
    advance_attempt(c, now);
    if (c.current_attempt != nullptr) {
      at = &c.next_connecting;
    } else {
      *at = c.next_connecting;
      ++n;
    }
  }
  return n;
}

void free_connection(tcp_connection* c) {
  if (c->current_attempt != nullptr) {
    close_attempt(*c->current_attempt);
    free(c->current_attempt);
  }
  drop_queue(*c);
  for (const int fd : {c->fd, c->abandoned_fd})
    if (fd >= 0) close(fd);
  free(c->in.assembled);
  free(c->records);
  free(c->runs);
  c->~tcp_connection();
  free(c);
}

}  // namespace oshen::transport::tcp
