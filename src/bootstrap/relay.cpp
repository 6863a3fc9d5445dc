#include "bootstrap/relay.hpp"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/socket.hpp"

namespace oshen::bootstrap {
namespace {

// A firewall may drop packets to ports of other PEs. Start-up must not wait long for each address.
constexpr int attempt_milliseconds = 1000;
constexpr std::uint64_t most_attempts_ns = 3000000000;
constexpr int handshake_milliseconds = 5000;

}  // namespace

bool relay::open(const sip_key& secret, pe_endpoint& mine) {
  return os::random_bytes(&mine.local, sizeof mine.local) && door_.open(secret, mine.local, mine.port);
}

bool relay::join(const sip_key& secret, const wire::referral& where, const wire::hello& me) {
  from_parent_.begin(secret, {}, wire::stream_direction::to_children);
  to_children_ = from_parent_;
  referral_ = where;
  n_expected_ = where.n_children;
  n_pes_ = me.n_pes;
  if (n_expected_ == 0) door_.close_all();
  const std::uint64_t began = os::now_ns();
  for (int i = -1; where.parent >= 0 && i < where.listens_at.n_addresses && os::now_ns() - began < most_attempts_ns;
       ++i) {
    const int fd =
        i < 0 ? os::connect_local(where.listens_at.local)
              : os::connect_network(where.listens_at.addresses[i], where.listens_at.port, attempt_milliseconds);
    if (fd < 0) continue;
    if (wire::handshake h; wire::authenticate(fd, secret, me, h, handshake_milliseconds)) {
      os::watch_stream(fd, wire::lost_after_seconds);
      parent_ = fd;
      return true;
    }
    close(fd);
  }
  if (where.parent >= 0) log::debug("start-up: no stream to PE %d; PE 0 sends the results", where.parent);
  return false;
}

void relay::lose_parent() {
  if (parent_ >= 0) close(parent_);
  parent_ = -1;
}

// ---- children ---------------------------------------------------------------------------------------------

nfds_t relay::watch(pollfd* list) const {
  nfds_t n = door_.watch(list);
  for (const child& c : children_)
    if (c.fd >= 0) list[n++] = {c.fd, static_cast<short>(POLLIN | (c.unsent != 0 ? POLLOUT : 0)), 0};
  return n;
}

void relay::admit() {
  for (door::guest one; door_.next(one);) {
    if (one.hello().n_pes != n_pes_ || n_admitted_ == n_expected_ || !door_.welcome(one)) {
      close(one.fd);
      continue;
    }
    os::watch_stream(one.fd, wire::lost_after_seconds);
    children_[n_admitted_++] = {one.fd, 0};
  }
}

void relay::leave(child& c) {
  close(c.fd);
  c = {};
}

void relay::send_to(child& c, const char* result, std::size_t bytes) {
  const std::ptrdiff_t sent = os::send_some(c.fd, result + bytes - c.unsent, c.unsent);
  if (sent < 0) return leave(c);  // the hub detects the child's end, or sends it the result
  c.unsent -= static_cast<std::size_t>(sent);
}

void relay::serve() {
  admit();
  for (child& c : children_) {
    if (c.fd < 0) continue;
    if (c.unsent != 0) send_to(c, result_, result_bytes_);
    char none;
    if (c.fd >= 0 && os::receive_some(c.fd, &none, 1) != 0) leave(c);  // a child sends nothing, so it has left
  }
  show_progress();
}

bool relay::check(const wire::header& head, std::uint32_t round) {
  from_parent_.set_number(round);
  return from_parent_.check(head);
}

void relay::forward(wire::header head, const void* body, std::uint32_t round) {
  to_children_.set_number(round);
  to_children_.sign(head);
  free(result_);
  result_ = nullptr;
  if (n_admitted_ == 0) return;
  result_bytes_ = sizeof head + head.bytes;
  idle_.store(0, std::memory_order_relaxed);
  result_ = static_cast<char*>(malloc(result_bytes_));
  if (result_ != nullptr) {
    memcpy(result_, &head, sizeof head);
    if (head.bytes != 0) memcpy(result_ + sizeof head, body, head.bytes);
  }
  for (child& c : children_) {
    if (c.fd < 0) continue;
    if (result_ == nullptr) {
      leave(c);
      continue;
    }
    c.unsent = result_bytes_;
    send_to(c, result_, result_bytes_);
  }
  show_progress();
}

void relay::show_progress() {
  for (const child& c : children_)
    if (c.unsent != 0) return;
  if (idle_.exchange(1, std::memory_order_release) == 0) os::futex_wake_all(idle_);
}

void relay::drain(int milliseconds) {
  const std::uint64_t until = os::now_ns() + static_cast<std::uint64_t>(milliseconds) * 1000000u;
  while (idle_.load(std::memory_order_acquire) == 0 && os::now_ns() < until) os::futex_wait(idle_, 0, 100000000);
}

void relay::close_in_child() const {
  door_.close_in_child();
  if (parent_ >= 0) close(parent_);
  for (const child& c : children_)
    if (c.fd >= 0) close(c.fd);
}

}  // namespace oshen::bootstrap
