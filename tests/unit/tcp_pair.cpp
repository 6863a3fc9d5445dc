#include "unit/tcp_pair.hpp"

#include <algorithm>

#include "transport/tcp/pieces.hpp"

call_counts* counting = nullptr;
std::function<void(const void*, std::size_t)> on_receive;
std::function<void(std::size_t)> on_send;
std::function<std::string(const std::string&)> in_flight;

namespace {

ssize_t counted(ssize_t n, int call_counts::* of) {
  if (counting != nullptr && n > 0) ++(counting->*of);
  return n;
}

}  // namespace

extern "C" {
ssize_t __real_sendmsg(int, const msghdr*, int);
ssize_t __real_recvmsg(int, msghdr*, int);
ssize_t __wrap_send(int, const void*, size_t, int);
ssize_t __wrap_sendmsg(int, const msghdr*, int);
ssize_t __wrap_recv(int, void*, size_t, int);
ssize_t __wrap_recvmsg(int, msghdr*, int);
ssize_t __wrap_send(int fd, const void* from, size_t n, int how) {
  if (in_flight) {
    const std::string changed = in_flight(std::string(static_cast<const char*>(from), n));
    if (!changed.empty()) __real_send(fd, changed.data(), changed.size(), how);
    return static_cast<ssize_t>(n);
  }
  if (on_send) on_send(n);
  return counted(__real_send(fd, from, n, how), &call_counts::sends);
}
ssize_t __wrap_sendmsg(int fd, const msghdr* m, int how) {
  if (on_send) on_send(oshen::transport::tcp::length_of(m->msg_iov, m->msg_iovlen));
  return counted(__real_sendmsg(fd, m, how), &call_counts::sends);
}
ssize_t __wrap_recv(int fd, void* to, size_t n, int how) {
  const ssize_t got = __real_recv(fd, to, n, how);
  if (on_receive && got > 0) on_receive(to, static_cast<std::size_t>(got));
  return counted(got, &call_counts::receives);
}
ssize_t __wrap_recvmsg(int fd, msghdr* m, int how) {
  const ssize_t got = __real_recvmsg(fd, m, how);
  for (std::size_t i = 0, rest = on_receive && got > 0 ? static_cast<std::size_t>(got) : 0; rest != 0; ++i) {
    const std::size_t here = std::min(rest, m->msg_iov[i].iov_len);
    if (here != 0) on_receive(m->msg_iov[i].iov_base, here);
    rest -= here;
  }
  return counted(got, &call_counts::receives);
}
}
