#include "bootstrap/door.hpp"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.hpp"
#include "os/clock.hpp"
#include "os/socket.hpp"

namespace oshen::bootstrap {
namespace {

constexpr std::uint64_t patience_ns = 5000000000;  // for one handshake
constexpr std::uint64_t pause_ns = 100000000;      // if no descriptor is free

void end(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// Firewalls and containers let through what the user has named for transport tcp, so PE 0 takes one of those ports.
int listen_where_wanted(std::uint16_t& port, int backlog) {
  const char* wanted = setting_text("OSHEN_TCP_PORTS");
  os::port_range ports{};
  if (wanted != nullptr && os::read_ports(wanted, ports))
    if (const int fd = os::listen_network(ports, port, backlog); fd >= 0) return fd;
  port = 0;
  return os::listen_network(port, backlog);
}

}  // namespace

struct door::unproved_stream {
  int fd;  // -1: the entry is free
  std::uint64_t since;
  std::uint64_t origin;
  sip_sum hub_nonce;
  struct {
    wire::hello hello;
    sip_sum sum;
  } received;
  std::size_t received_bytes;
};

bool door::open(const sip_key& secret, std::uint64_t local, std::uint16_t& port) {
  const bool port_is_given = port != 0;
  unproved_ = static_cast<unproved_stream*>(calloc(most_unproved, sizeof(unproved_stream)));
  if (unproved_ == nullptr) return false;
  for (int i = 0; i < most_unproved; ++i) unproved_[i].fd = -1;
  secret_ = secret;
  listeners_[0] = os::listen_local(local, most_unproved);
  listeners_[1] = port_is_given ? os::listen_network(port, most_unproved) : listen_where_wanted(port, most_unproved);
  if (listeners_[1] >= 0 || (listeners_[0] >= 0 && !port_is_given)) return true;
  const int why = errno;
  close_all();
  errno = why;
  return false;
}

nfds_t door::watch(pollfd* list) const {
  if (!is_open()) return 0;
  nfds_t n = 0;
  const bool closed = closed_until_ != 0 && os::now_ns() < closed_until_;
  for (const int listener : listeners_)
    if (listener >= 0 && !closed) list[n++] = {listener, POLLIN, 0};
  for (int i = 0; i < most_unproved; ++i)
    if (unproved_[i].fd >= 0) list[n++] = {unproved_[i].fd, POLLIN, 0};
  return n;
}

bool door::next(guest& one) {
  if (!is_open()) return false;
  // Before new connections: a proof that has arrived is never pushed out.
  for (int i = 0; i < most_unproved; ++i)
    if (unproved_[i].fd >= 0 && receive_hello(unproved_[i], one)) return true;
  for (const int listener : listeners_)
    if (listener >= 0) accept(listener);
  return false;
}

// The oldest stream of the origin that has the most of them; null: there is none.
door::unproved_stream* door::most_expendable() {
  unproved_stream* found = nullptr;
  int most = 0;
  for (int i = 0; i < most_unproved; ++i) {
    unproved_stream& s = unproved_[i];
    if (s.fd < 0) continue;
    int n = 0;
    for (int j = 0; j < most_unproved; ++j) n += unproved_[j].fd >= 0 && unproved_[j].origin == s.origin ? 1 : 0;
    if (n < most || (n == most && s.since >= found->since)) continue;
    found = &s;
    most = n;
  }
  return found;
}

// If no entry is free, a new connection takes the entry of the most expendable one, which among those of its origin has
// had the most time. A PE that loses its entry connects again.
door::unproved_stream* door::free_entry() {
  for (int i = 0; i < most_unproved; ++i)
    if (unproved_[i].fd < 0) return &unproved_[i];
  unproved_stream* s = most_expendable();
  end(s->fd);
  return s;
}

void door::accept(int listener) {
  for (int i = 0; i < most_accepted; ++i) {
    const int fd = os::accept_stream(listener);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
      if (unproved_stream* s = most_expendable(); s != nullptr)
        end(s->fd);
      else
        closed_until_ = os::now_ns() + pause_ns;
      return;
    }
    if (fd < 0) return;
    unproved_stream& s = *free_entry();
    s = {};
    s.fd = fd;
    s.since = os::now_ns();
    s.origin = os::origin_of_stream(fd);
    if (!os::random_bytes(&s.hub_nonce, sizeof s.hub_nonce) ||
        os::send_some(fd, &s.hub_nonce, sizeof s.hub_nonce) != sizeof s.hub_nonce)
      end(s.fd);
  }
}

// True if the stream has proved that it belongs to a PE of this job; its entry is then free.
bool door::receive_hello(unproved_stream& s, guest& one) {
  const std::ptrdiff_t got = os::receive_some(s.fd, reinterpret_cast<char*>(&s.received) + s.received_bytes,
                                              sizeof s.received - s.received_bytes);
  if (got > 0) s.received_bytes += static_cast<std::size_t>(got);
  if (s.received_bytes < sizeof s.received) {
    if (got < 0 || os::now_ns() - s.since >= patience_ns) end(s.fd);
    return false;
  }
  one = {s.fd, {s.hub_nonce, s.received.hello}};
  if (!same_sum(s.received.sum, wire::sum_of_pe(secret_, one.handshake)) ||
      memcmp(one.hello().protocol_name, wire::protocol_name, sizeof wire::protocol_name) != 0) {
    end(s.fd);
    return false;
  }
  s.fd = -1;
  return true;
}

bool door::welcome(const guest& one) const {
  const sip_sum reply = wire::sum_of_hub(secret_, one.handshake);
  return os::send_some(one.fd, &reply, sizeof reply) == sizeof reply;
}

void door::close_all() {
  for (int& listener : listeners_) end(listener);
  for (int i = 0; is_open() && i < most_unproved; ++i) end(unproved_[i].fd);
  free(unproved_);
  unproved_ = nullptr;
}

void door::close_in_child() const {
  for (const int listener : listeners_)
    if (listener >= 0) close(listener);
  for (int i = 0; is_open() && i < most_unproved; ++i)
    if (unproved_[i].fd >= 0) close(unproved_[i].fd);
}

}  // namespace oshen::bootstrap
