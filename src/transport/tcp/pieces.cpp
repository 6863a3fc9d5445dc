#include "transport/tcp/pieces.hpp"

#include <errno.h>
#include <sys/socket.h>

#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

// Longer calls are slower (design/tcp.md, "Frames").
constexpr std::size_t most_in_one_call = 512 * 1024;

bool is_full() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ENOMEM; }

// Shortens the pieces to `most` bytes. Returns the number of those that are left.
std::size_t shorten(iovec* pieces, std::size_t n, std::size_t most) {
  for (std::size_t i = 0; i < n; ++i) {
    if (pieces[i].iov_len > most) {
      pieces[i].iov_len = most;
      return i + 1;
    }
    most -= pieces[i].iov_len;
  }
  return n;
}

// One system call. The number of bytes that the socket has taken; -1: it has failed.
ssize_t send_once(const tcp_connection& c, iovec* pieces, std::size_t n) {
  msghdr m{};
  m.msg_iov = pieces;
  m.msg_iovlen = n;
  for (;;) {
    const ssize_t sent = n == 1 ? ::send(c.fd, pieces[0].iov_base, pieces[0].iov_len, MSG_DONTWAIT | MSG_NOSIGNAL)
                                : ::sendmsg(c.fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno != EINTR) return is_full() ? 0 : -1;
  }
}

// The same for many bytes. It changes the pieces.
[[gnu::noinline]] ssize_t send_in_parts(const tcp_connection& c, iovec* pieces, std::size_t n) {
  ssize_t taken = 0;
  for (std::size_t left = length_of(pieces, n); left != 0;) {
    iovec part[most_pieces];
    std::copy_n(pieces, n, part);
    const std::size_t offered = std::min(left, most_in_one_call);
    const ssize_t sent = send_once(c, part, shorten(part, n, most_in_one_call));
    if (sent < 0) return sent;
    taken += sent;
    if (static_cast<std::size_t>(sent) < offered) break;
    leave_out(pieces, offered);
    left -= offered;
  }
  return taken;
}

}  // namespace

ssize_t send_bytes(tcp_connection& c, iovec* pieces, std::size_t n) {
  tcp_instance& me = *c.home->home;
  if (me.how.chaos_seed != 0) {
    pieces[0].iov_len = some_of(me, pieces[0].iov_len);
    n = 1;
  }
  return length_of(pieces, n) <= most_in_one_call ? send_once(c, pieces, n) : send_in_parts(c, pieces, n);
}

}  // namespace oshen::transport::tcp
