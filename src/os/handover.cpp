#include "os/handover.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>

namespace oshen::os {
namespace {

struct address {
  sockaddr_un name{};
  socklen_t length;
};

// Abstract names begin with a zero byte.
address abstract_address(unsigned long long name) {
  address a;
  a.name.sun_family = AF_UNIX;
  const int written = snprintf(a.name.sun_path + 1, sizeof a.name.sun_path - 1, "oshen-%016llx", name);
  a.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<size_t>(written));
  return a;
}

}  // namespace

int open_through_proc(int pid, int fd) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
  return open(path, O_RDWR | O_CLOEXEC);
}

int listen_abstract(unsigned long long name, int backlog) {
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  const address a = abstract_address(name);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&a.name), a.length) == 0 &&
      listen(listener, backlog) == 0)
    return listener;
  close(listener);
  return -1;
}

bool give_descriptor(int listener, int fd, int seconds) {
  pollfd waiting{listener, POLLIN, 0};
  if (poll(&waiting, 1, seconds * 1000) != 1) return false;
  const int peer = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (peer < 0) return false;
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char buffer[CMSG_SPACE(sizeof fd)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = buffer;
  message.msg_controllen = sizeof buffer;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(header), &fd, sizeof fd);
  const bool sent = sendmsg(peer, &message, MSG_NOSIGNAL) == 1;
  close(peer);
  return sent;
}

int take_descriptor(unsigned long long name, int seconds) {
  const int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (peer < 0) return -1;
  const timeval limit{seconds, 0};
  setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const address a = abstract_address(name);
  int fd = -1;
  if (connect(peer, reinterpret_cast<const sockaddr*>(&a.name), a.length) == 0) {
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) char buffer[CMSG_SPACE(sizeof fd)] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = buffer;
    message.msg_controllen = sizeof buffer;
    if (recvmsg(peer, &message, MSG_CMSG_CLOEXEC) == 1)
      if (const cmsghdr* header = CMSG_FIRSTHDR(&message);
          header != nullptr && header->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(header), sizeof fd);
  }
  close(peer);
  return fd;
}

}  // namespace oshen::os
