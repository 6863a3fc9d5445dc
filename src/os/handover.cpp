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
#include "os/socket.hpp"

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

// Repeats a call that a signal interrupted, such as the signal of a program's timer.
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

// True if the process at the other end runs as our user. The kernel recorded that user at the time of the connection.
// In a user namespace all users without a mapping look alike, so the key is needed too.
bool is_ours(int peer) {
  ucred other{};
  socklen_t length = sizeof other;
  return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &other, &length) == 0 && other.uid == geteuid();
}

// ---- proofs of the key ----------------------------------------------------------------------------------------
//
// The process that takes the descriptor proves the key first, by a sum over a nonce of its own. The listener's proof
// arrives in the message that carries the descriptor. A fake listener learns one sum, which no other handover accepts.

constexpr std::uint64_t patience_ns = 2'000'000'000;  // for the proof: it is sent at once after connect()

struct proof {
  std::uint64_t nonce[2];
  sip_sum sum;
};

enum class side : std::uint64_t { taker = 1, giver };

sip_sum sum_of(const sip_key& key, side who, const std::uint64_t (&nonce)[2]) {
  const std::uint64_t text[] = {static_cast<std::uint64_t>(who), nonce[0], nonce[1]};
  return sip(key, text, sizeof text);
}

bool is_key(const sip_key& key) { return !same_sum(key, sip_key{}); }

bool send_proof(int peer, const sip_key& key, proof& mine) {
  if (!random_bytes(mine.nonce, sizeof mine.nonce)) return false;
  mine.sum = sum_of(key, side::taker, mine.nonce);
  return uninterrupted([&] { return send(peer, &mine, sizeof mine, MSG_NOSIGNAL); }) == sizeof mine;
}

// A message of this size arrives whole: the sender's buffer was empty.
bool receive_proof(int peer, const sip_key& key, std::uint64_t until, proof& theirs) {
  return wait_readable(peer, until) &&
         uninterrupted([&] { return recv(peer, &theirs, sizeof theirs, MSG_DONTWAIT); }) == sizeof theirs &&
         same_sum(theirs.sum, sum_of(key, side::taker, theirs.nonce));
}

// ---- the message ----------------------------------------------------------------------------------------------

// The listener's proof, with a descriptor.
struct descriptor_message {
  sip_sum sum{};
  iovec content{&sum, sizeof sum};
  alignas(cmsghdr) char buffer[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  descriptor_message() {
    header.msg_iov = &content;
    header.msg_iovlen = 1;
    header.msg_control = buffer;
    header.msg_controllen = sizeof buffer;
  }
};

bool send_descriptor(int peer, const sip_sum& sum, int fd) {
  descriptor_message m;
  m.sum = sum;
  cmsghdr* header = CMSG_FIRSTHDR(&m.header);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return uninterrupted([&] { return sendmsg(peer, &m.header, MSG_NOSIGNAL); }) == sizeof m.sum;
}

int receive_descriptor(int peer, const sip_sum& expected, std::uint64_t until) {
  descriptor_message m;
  int fd = -1;
  if (!wait_readable(peer, until)) return -1;
  const ssize_t got = uninterrupted([&] { return recvmsg(peer, &m.header, MSG_CMSG_CLOEXEC); });
  if (got < 0) return -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&m.header);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) memcpy(&fd, CMSG_DATA(header), sizeof fd);
  if (got == sizeof m.sum && same_sum(m.sum, expected)) return fd;
  if (fd >= 0) close(fd);
  return -1;
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

sip_key random_key() {
  sip_key key{};
  return random_bytes(&key, sizeof key) ? key : sip_key{};
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

bool give_descriptor(int listener, const sip_key& key, int fd, std::uint64_t until) {
  while (is_key(key)) {
    if (!wait_readable(listener, until)) return false;
    const int peer = uninterrupted([&] { return accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); });
    if (peer < 0) return false;
    proof theirs;
    const std::uint64_t limit = now_ns() + patience_ns;
    const bool ours = is_ours(peer) && receive_proof(peer, key, limit < until ? limit : until, theirs);
    const bool sent = ours && send_descriptor(peer, sum_of(key, side::giver, theirs.nonce), fd);
    close(peer);
    if (ours) return sent;
  }
  return false;
}

int take_descriptor(const socket_name& name, const sip_key& key, std::uint64_t until) {
  if (!is_key(key)) return -1;
  const int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (peer < 0) return -1;
  // connect() waits while foreign processes fill the listener's queue, so it gets a time limit.
  const std::uint64_t now = now_ns();
  const timeval limit{static_cast<time_t>(now < until ? (until - now) / 1000000000u + 1 : 1), 0};
  setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const unix_address a = abstract_address(name);
  const bool connected =
      uninterrupted([&] { return connect(peer, reinterpret_cast<const sockaddr*>(&a.name), a.length); }) == 0;
  proof mine{};
  const bool proved = connected && is_ours(peer) && send_proof(peer, key, mine);
  const int fd = proved ? receive_descriptor(peer, sum_of(key, side::giver, mine.nonce), until) : -1;
  close(peer);
  return fd;
}

}  // namespace oshen::os
