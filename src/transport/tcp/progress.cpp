// Progress: it chooses the connections to look at. A connection that owes this PE a frame, and the latest one that
// brought one, are read without asking the poll set first. It asks the poll set when they are silent, though not each
// time, and now and then anyway.
#include <sys/epoll.h>

#include <algorithm>

#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr unsigned calls_per_poll = 8;
constexpr int most_armed = 64;

tcp_connection* take_queued(engine& e) {
  if (e.queued.load(std::memory_order_acquire) == nullptr) return nullptr;
  os::locked hold(e.listing);
  return e.queued.exchange(nullptr);
}

// Sends what has waited; a connection that still has frames returns to the list.
int send_all_queued(engine& e) {
  int n = 0;
  for (tcp_connection* list = take_queued(e); list != nullptr;) {
    tcp_connection& c = *list;
    list = c.next_queued;  // first: afterwards another thread may put it into the list
    os::locked hold(c.sending);
    c.is_queued = false;
    n += send_queued(c);
    if (has_unsent(c)) note_queued(c);
  }
  return n;
}

bool control(const engine& e, int what, int fd, polled& entry, unsigned events) {
  epoll_event wanted{};
  wanted.events = events;
  wanted.data.ptr = &entry;
  return epoll_ctl(e.fd, what, fd, &wanted) == 0;
}

int handle_connection(tcp_connection& c, unsigned events) {
  if (c.current_attempt != nullptr) return 0;  // its attempt goes on in advance_attempts()
  int n = 0;
  if ((events & EPOLLOUT) != 0) {
    os::locked hold(c.sending);
    n += send_queued(c);
    if (!has_unsent(c)) poll_output(c, false);
  }
  if ((events & ~static_cast<unsigned>(EPOLLOUT)) != 0) {
    const int got = receive(c);
    if (got > 0) c.home->recent = &c;
    n += got;
  }
  return n;
}

int ask_poll_set(engine& e) {
  epoll_event found[most_looked_at];
  const int n_found = epoll_wait(e.fd, found, most_looked_at, 0);
  int n = 0;
  for (int i = 0; i < n_found; ++i) {
    auto* what = static_cast<polled*>(found[i].data.ptr);
    switch (what->kind) {
      case polled_kind::listener: accept_connections(*e.home); break;
      case polled_kind::unproven: continue_handshake(*e.home, *static_cast<unproven*>(what)); break;
      case polled_kind::connection: n += handle_connection(*static_cast<tcp_connection*>(what), found[i].events); break;
    }
  }
  return n;
}

likely_ones likely(const engine& e) {
  tcp_connection* const expected = e.owing.load(std::memory_order_relaxed);
  return {expected, e.recent != expected ? e.recent : nullptr};
}

int read_likely(engine& e, tcp_connection& c) {
  const int n = receive(c);
  if (n != 0) e.recent = &c;
  return n;
}

int read_likely_ones(engine& e, bool& has_any) {
  has_any = false;
  int n = 0;
  const likely_ones now = likely(e);
  for (tcp_connection* c : now) {
    if (c == nullptr || c->fd < 0) continue;
    has_any = true;
    n += read_likely(e, *c);
  }
  if (e.in_sight.sees_all()) return n;
  const likely_ones left_out = e.in_sight.left_out();
  for (tcp_connection* c : left_out)
    if (c != nullptr && std::find(now.begin(), now.end(), c) == now.end()) n += read_likely(e, *c);
  return n;
}

}  // namespace

bool poll_for(engine& e, int fd, polled& what, unsigned events) {
  return control(e, EPOLL_CTL_ADD, fd, what, events) || control(e, EPOLL_CTL_MOD, fd, what, events);
}

bool poll_again_for(tcp_connection& c, unsigned events) {
  return c.fd >= 0 && control(*c.home, EPOLL_CTL_MOD, c.fd, c, events);
}

void poll_output(tcp_connection& c, bool polls) {
  if (poll_again_for(c, unsigned{EPOLLIN} | (polls ? unsigned{EPOLLOUT} : 0))) c.polls_output = polls;
}

void note_queued(tcp_connection& c) {
  if (c.is_queued) return;
  c.is_queued = true;
  engine& e = *c.home;
  os::locked hold(e.listing);
  c.next_queued = e.queued.load(std::memory_order_relaxed);
  e.queued.store(&c, std::memory_order_release);
}

void note_unasked(tcp_connection& c) {
  if (c.is_unasked) return;
  c.is_unasked = true;
  engine& e = *c.home;
  os::locked hold(e.listing);
  c.next_unasked = e.unasked.load(std::memory_order_relaxed);
  e.unasked.store(&c, std::memory_order_release);
}

int engine::advance() {
  engine& e = *this;
  bool has_likely = false;
  int n = send_all_queued(e) + read_likely_ones(e, has_likely);
  if (!has_likely || ++e.n_advances % calls_per_poll == 0 || e.n_connecting.load(std::memory_order_relaxed) != 0)
    n += ask_poll_set(e);
  if (&e == &e.home->shared) tend_arriving(*e.home);
  return n + advance_attempts(e);
}

int advance_if_free(engine& e) {
  if (!e.receiving.try_lock()) return 0;
  const int n = e.advance();
  e.receiving.unlock();
  return n;
}

bool leave_out(instance* i, bool at_once) {
  engine& e = own(i).shared;
  if (!e.receiving.try_lock()) return false;
  const bool changes = e.in_sight.leave_out(likely(e), at_once);
  e.receiving.unlock();
  return changes;
}

void watch_all(instance* i) {
  engine& e = own(i).shared;
  if (e.in_sight.sees_all()) return;
  os::locked hold(e.receiving);
  e.in_sight.watch_all();
}

// Sleepers wake when a socket takes more of a queue. While another thread receives a payload that comes in parts, the
// descriptor stays readable.
blocking engine::may_block() {
  engine& e = *this;
  if (has_part.load(std::memory_order_relaxed)) {
    if (!receiving.try_lock()) return blocking::not_now;
    receiving.unlock();
  }
  int n = 0;
  for (tcp_connection* list = take_queued(e); list != nullptr; ++n) {
    tcp_connection& c = *list;
    list = c.next_queued;
    os::locked hold(c.sending);
    c.is_queued = false;
    if (n < most_armed && !c.polls_output) poll_output(c, true);
    if (has_unsent(c)) note_queued(c);
  }
  const tcp_instance& me = *e.home;
  const bool tends =
      me.n_arriving.load(std::memory_order_relaxed) != 0 || me.accept_again_ns.load(std::memory_order_relaxed) != 0;
  return n > most_armed || e.n_connecting.load() != 0 || tends ? blocking::for_a_moment : blocking::until_readable;
}

// splitmix64, from the finaliser of Steele, Lea, Flood (OOPSLA 2014)
std::uint64_t random_of(tcp_instance& me) {
  std::uint64_t x = me.random_state.fetch_add(0x9e3779b97f4a7c15u, std::memory_order_relaxed) + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

std::size_t some_of(tcp_instance& me, std::size_t bytes) {
  const std::uint64_t random = random_of(me);
  if (random % 2 == 0) return bytes;
  const std::size_t most = std::min<std::size_t>(bytes, random % 8 == 1 ? 64 : 8192);
  return most == 0 ? 0 : 1 + random / 8 % most;
}

}  // namespace oshen::transport::tcp
