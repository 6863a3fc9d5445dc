#include "os/socket.hpp"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/clock.hpp"

namespace oshen::os {
namespace {

network_address from_kernel(const sockaddr* a) {
  network_address out{};
  if (a->sa_family == AF_INET) {
    out.family = 4;
    memcpy(out.bytes, &reinterpret_cast<const sockaddr_in*>(a)->sin_addr, 4);
  } else if (a->sa_family == AF_INET6) {
    const auto& in6 = reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&in6)) {
      out.family = 4;
      memcpy(out.bytes, in6.s6_addr + 12, 4);
      return out;
    }
    if (IN6_IS_ADDR_LINKLOCAL(&in6)) return out;  // meaningless without the interface
    out.family = 6;
    memcpy(out.bytes, &in6, 16);
  }
  return out;
}

// Writes the kernel's form of an address, and returns its length.
socklen_t to_kernel(const network_address& from, std::uint16_t port, sockaddr_storage& out) {
  out = {};
  if (from.family == 6) {
    auto& a6 = reinterpret_cast<sockaddr_in6&>(out);
    a6.sin6_family = AF_INET6;
    a6.sin6_port = htons(port);
    memcpy(&a6.sin6_addr, from.bytes, 16);
    return sizeof a6;
  }
  auto& a4 = reinterpret_cast<sockaddr_in&>(out);
  a4.sin_family = AF_INET;
  a4.sin_port = htons(port);
  memcpy(&a4.sin_addr, from.bytes, 4);
  return sizeof a4;
}

bool set(int fd, int level, int option, int value) { return setsockopt(fd, level, option, &value, sizeof value) == 0; }

// A listener hands it to the connections that it accepts. What the kernel does not have is not taken.
void set_congestion_control(int fd, const char* name) {
  if (name != nullptr)
    static_cast<void>(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, static_cast<socklen_t>(strlen(name))));
}

// The part of `milliseconds` that is left since `began`, as a timeout of poll.
int left(std::uint64_t began, int milliseconds) {
  const auto passed = static_cast<std::int64_t>((now_ns() - began) / 1000000u);
  return passed >= milliseconds ? 0 : static_cast<int>(milliseconds - passed);
}

bool wait_for(int fd, short what, std::uint64_t began, int milliseconds) {
  pollfd one{fd, what, 0};
  for (;;) {
    const int ready = poll(&one, 1, left(began, milliseconds));
    if (ready > 0) return true;
    if (ready == 0) errno = ETIMEDOUT;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// Abstract names begin with a zero byte.
socklen_t abstract_address(std::uint64_t name, sockaddr_un& a) {
  a.sun_family = AF_UNIX;
  const int written =
      snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "oshen-job-%016llx", static_cast<unsigned long long>(name));
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(written));
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

int own_addresses(network_address (&list)[most_addresses], const char* only) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return 0;
  int n = 0;
  constexpr sa_family_t families[] = {AF_INET, AF_INET6};
  for (const sa_family_t family : families)
    for (const ifaddrs* i = all; i != nullptr && n < most_addresses; i = i->ifa_next) {
      if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != family) continue;
      if ((i->ifa_flags & IFF_UP) == 0 || (i->ifa_flags & IFF_LOOPBACK) != 0) continue;
      if (only != nullptr && strcmp(only, i->ifa_name) != 0) continue;
      if (const network_address a = from_kernel(i->ifa_addr); a.family != 0) list[n++] = a;
    }
  freeifaddrs(all);
  return n;
}

void routed_interface(char* name, std::size_t capacity) {
  snprintf(name, capacity, "lo");
  if (FILE* routes = fopen("/proc/net/route", "re"); routes != nullptr) {
    char line[256], interface[64];
    unsigned long destination = 1;
    bool found = false;
    while (!found && fgets(line, sizeof line, routes) != nullptr)
      found = sscanf(line, "%63s %lx", interface, &destination) == 2 && destination == 0;
    fclose(routes);
    if (found) {
      snprintf(name, capacity, "%s", interface);
      return;
    }
  }
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return;
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET || (i->ifa_flags & IFF_UP) == 0) continue;
    if ((i->ifa_flags & IFF_LOOPBACK) != 0) continue;
    snprintf(name, capacity, "%s", i->ifa_name);
    break;
  }
  freeifaddrs(all);
}

bool has_interface(const char* name) { return if_nametoindex(name) != 0; }

int look_up_host(const char* host, network_address (&list)[most_addresses]) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* all = nullptr;
  if (getaddrinfo(host, nullptr, &hints, &all) != 0) return 0;
  int n = 0;
  for (const addrinfo* i = all; i != nullptr && n < most_addresses; i = i->ai_next)
    if (const network_address a = from_kernel(i->ai_addr); a.family != 0) list[n++] = a;
  freeaddrinfo(all);
  return n;
}

int listen_network(std::uint16_t& port, int backlog, const char* congestion_control) {
  int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool six = fd >= 0;
  if (!six) fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (six) set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (port != 0) set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  set_congestion_control(fd, congestion_control);
  sockaddr_in6 a6{};
  a6.sin6_family = AF_INET6;
  a6.sin6_port = htons(port);
  sockaddr_in a4{};
  a4.sin_family = AF_INET;
  a4.sin_port = htons(port);
  auto* any = six ? reinterpret_cast<sockaddr*>(&a6) : reinterpret_cast<sockaddr*>(&a4);
  socklen_t length = six ? sizeof a6 : sizeof a4;
  if (bind(fd, any, length) != 0 || listen(fd, backlog) != 0 || getsockname(fd, any, &length) != 0) {
    const int why = errno;
    close(fd);
    errno = why;
    return -1;
  }
  port = ntohs(six ? a6.sin6_port : a4.sin_port);
  return fd;
}

int begin_connect(const network_address& to, std::uint16_t port, const char* congestion_control) {
  sockaddr_storage address;
  const socklen_t length = to_kernel(to, port, address);
  const int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  set_congestion_control(fd, congestion_control);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), length) == 0 || errno == EINPROGRESS) return fd;
  const int why = errno;
  close(fd);
  errno = why;
  return -1;
}

int error_of_connect(int fd) {
  int why = 0;
  socklen_t bytes = sizeof why;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &bytes) == 0 ? why : errno;
}

int listen_network(const port_range& ports, std::uint16_t& port, int backlog, const char* congestion_control) {
  int fd = -1;
  for (int p = ports.first; p <= ports.last && fd < 0; ++p) {
    port = static_cast<std::uint16_t>(p);
    fd = listen_network(port, backlog, congestion_control);
  }
  return fd;
}

bool read_ports(const char* text, port_range& ports) {
  char* end = nullptr;
  const long first = strtol(text, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
  if (*end != '\0' || first < 1 || first > last || last > UINT16_MAX) return false;
  ports = {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)};
  return true;
}

int connect_network(const network_address& to, std::uint16_t port, int milliseconds) {
  const std::uint64_t began = now_ns();
  const int fd = begin_connect(to, port);
  if (fd < 0) return -1;
  const int why = wait_for(fd, POLLOUT, began, milliseconds) ? error_of_connect(fd) : errno;
  if (why == 0) return fd;
  close(fd);
  errno = why;
  return -1;
}

int listen_local(std::uint64_t name, int backlog) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  sockaddr_un a{};
  const socklen_t length = abstract_address(name, a);
  if (bind(fd, reinterpret_cast<sockaddr*>(&a), length) == 0 && listen(fd, backlog) == 0) return fd;
  close(fd);
  return -1;
}

int connect_local(std::uint64_t name) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  sockaddr_un a{};
  const socklen_t length = abstract_address(name, a);
  const timeval limit{1, 0};  // connect() waits while the listener's queue is full
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  ucred listener{};
  socklen_t bytes = sizeof listener;
  if (connect(fd, reinterpret_cast<sockaddr*>(&a), length) == 0 &&
      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &listener, &bytes) == 0 && listener.uid == geteuid())
    return fd;  // names are public, so another user may hold this one
  close(fd);
  return -1;
}

int accept_stream(int listener) { return accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }

network_address peer_of_stream(int fd) {
  sockaddr_storage peer{};
  socklen_t bytes = sizeof peer;
  auto* const there = reinterpret_cast<sockaddr*>(&peer);
  return getpeername(fd, there, &bytes) == 0 ? from_kernel(there) : network_address{};
}

std::uint64_t origin_of_stream(int fd) {
  constexpr std::uint64_t local = std::uint64_t{1} << 63;  // the network part of no unicast address begins with this
  sockaddr_storage peer{};
  socklen_t bytes = sizeof peer;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &bytes) != 0) return 0;
  if (peer.ss_family == AF_INET) {
    sockaddr_in from{};
    memcpy(&from, &peer, sizeof from);
    return from.sin_addr.s_addr;
  }
  std::uint64_t network = 0;
  if (peer.ss_family == AF_INET6) {
    sockaddr_in6 from{};
    memcpy(&from, &peer, sizeof from);
    const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&from.sin6_addr);
    memcpy(&network, from.sin6_addr.s6_addr + (is_mapped ? 12 : 0), is_mapped ? 4 : 8);
    return network;
  }
  ucred user{};
  bytes = sizeof user;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &bytes) == 0 ? local | user.uid : local;
}

bool stream_pair(int (&ends)[2]) {
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0;
}

void watch_stream(int fd, int seconds) {
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPCNT, seconds > 2 ? seconds - 1 : 1);
  set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, seconds * 1000);
}

std::ptrdiff_t send_some(int fd, const void* bytes, std::size_t count) {
  const ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent >= 0 ? sent : would_block() ? 0 : -1;
}

std::ptrdiff_t receive_some(int fd, void* bytes, std::size_t count) {
  const ssize_t received = recv(fd, bytes, count, MSG_DONTWAIT);
  if (received == 0) errno = 0;
  return received > 0 ? received : received < 0 && would_block() ? 0 : -1;
}

bool send_all(int fd, const void* bytes, std::size_t count, int milliseconds) {
  const std::uint64_t began = now_ns();
  for (std::size_t done = 0; done < count;) {
    const std::ptrdiff_t sent = send_some(fd, static_cast<const char*>(bytes) + done, count - done);
    if (sent < 0 || (sent == 0 && !wait_for(fd, POLLOUT, began, milliseconds))) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int fd, void* bytes, std::size_t count, int milliseconds) {
  const std::uint64_t began = now_ns();
  for (std::size_t done = 0; done < count;) {
    const std::ptrdiff_t received = receive_some(fd, static_cast<char*>(bytes) + done, count - done);
    if (received < 0 || (received == 0 && !wait_for(fd, POLLIN, began, milliseconds))) return false;
    done += static_cast<std::size_t>(received);
  }
  return true;
}

// To connect a datagram socket is to look for a route.
bool has_route(const network_address& to) {
  sockaddr_storage address;
  const socklen_t length = to_kernel(to, 9, address);
  const int fd = socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return true;  // not known
  const bool found = connect(fd, reinterpret_cast<sockaddr*>(&address), length) == 0 ||
                     (errno != ENETUNREACH && errno != EHOSTUNREACH);
  close(fd);
  return found;
}

void write_address(const network_address& address, char* text, std::size_t capacity) {
  if (inet_ntop(address.family == 6 ? AF_INET6 : AF_INET, address.bytes, text, static_cast<socklen_t>(capacity)) ==
      nullptr)
    snprintf(text, capacity, "?");
}

bool random_bytes(void* bytes, std::size_t count) { return getrandom(bytes, count, 0) == static_cast<ssize_t>(count); }

}  // namespace oshen::os
