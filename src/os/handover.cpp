#include "os/handover.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>

#include "os/clock.hpp"

namespace oshen::os {
namespace {

struct unix_address {
  sockaddr_un name{};
  socklen_t length;
};

// Abstract names begin with a zero byte.
unix_address abstract_address(const socket_name& name) {
  unix_address a;
  a.name.sun_family = AF_UNIX;
  const int written = snprintf(a.name.sun_path + 1, sizeof a.name.sun_path - 1, "oshen-%016llx%016llx",
                               static_cast<unsigned long long>(name.high), static_cast<unsigned long long>(name.low));
  a.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<size_t>(written));
  return a;
}

// Repeats a call that a signal interrupted: programs have timers.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

bool wait_readable(int fd, std::uint64_t until) {
  pollfd waiting{fd, POLLIN, 0};
  for (;;) {
    const std::uint64_t now = now_ns();
    const int left_ms = now < until ? static_cast<int>((until - now + 999999) / 1000000) : 0;
    const int ready = poll(&waiting, 1, left_ms);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// True if the process at the other end runs as our user. The kernel recorded it when the two were connected.
bool is_ours(int peer) {
  ucred other{};
  socklen_t length = sizeof other;
  return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 && other.uid == geteuid();
}

// A message of one byte that carries a descriptor.
struct descriptor_message {
  char byte = 0;
  iovec content{&byte, 1};
  alignas(cmsghdr) char buffer[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  descriptor_message() {
    header.msg_iov = &content;
    header.msg_iovlen = 1;
    header.msg_control = buffer;
    header.msg_controllen = sizeof buffer;
  }
};

bool send_descriptor(int peer, int fd) {
  descriptor_message m;
  cmsghdr* header = CMSG_FIRSTHDR(&m.header);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return uninterrupted([&] { return sendmsg(peer, &m.header, MSG_NOSIGNAL); }) == 1;
}

int receive_descriptor(int peer, std::uint64_t until) {
  descriptor_message m;
  int fd = -1;
  if (!wait_readable(peer, until)) return -1;
  if (uninterrupted([&] { return recvmsg(peer, &m.header, MSG_CMSG_CLOEXEC); }) != 1) return -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&m.header);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}

}  // namespace

int open_through_proc(int pid, int fd) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
  return open(path, O_RDWR | O_CLOEXEC);
}

socket_name random_name() {
  socket_name name{};
  const ssize_t got = uninterrupted([&] { return getrandom(&name, sizeof name, 0); });
  return got == sizeof name ? name : socket_name{};
}

int listen_abstract(const socket_name& name, int backlog) {
  if (name.high == 0 && name.low == 0) return -1;
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  const unix_address a = abstract_address(name);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&a.name), a.length) == 0 && listen(listener, backlog) == 0)
    return listener;
  close(listener);
  return -1;
}

bool give_descriptor(int listener, int fd, std::uint64_t until) {
  for (;;) {
    if (!wait_readable(listener, until)) return false;
    const int peer = uninterrupted([&] { return accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); });
    if (peer < 0) return false;
    const bool ours = is_ours(peer);
    const bool sent = ours && send_descriptor(peer, fd);
    close(peer);
    if (ours) return sent;
  }
}

int take_descriptor(const socket_name& name, std::uint64_t until) {
  const int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (peer < 0) return -1;
  // connect() waits while foreign processes fill the listener's queue, so it gets a time limit.
  const std::uint64_t now = now_ns();
  const timeval limit{static_cast<time_t>(now < until ? (until - now) / 1000000000u + 1 : 1), 0};
  setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const unix_address a = abstract_address(name);
  const bool connected =
      uninterrupted([&] { return connect(peer, reinterpret_cast<const sockaddr*>(&a.name), a.length); }) == 0;
  const int fd = connected && is_ours(peer) ? receive_descriptor(peer, until) : -1;
  close(peer);
  return fd;
}

}  // namespace oshen::os
