// The bytes that a socket is given: pieces of memory, in their order.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstddef>

namespace oshen::transport::tcp {

struct tcp_connection;

inline constexpr int most_pieces = 32;  // of one call

inline std::size_t length_of(const iovec* pieces, std::size_t n) {
  std::size_t all = 0;
  for (std::size_t i = 0; i < n; ++i) all += pieces[i].iov_len;
  return all;
}

// Leaves out the first `bytes` of the pieces.
inline void leave_out(iovec* pieces, std::size_t bytes) {
  for (iovec* p = pieces; bytes != 0; ++p) {
    const std::size_t of_piece = std::min(bytes, p->iov_len);
    *p = {static_cast<char*>(p->iov_base) + of_piece, p->iov_len - of_piece};
    bytes -= of_piece;
  }
}

// Sends what the socket takes, and may change the pieces. Returns the number of bytes; -1: the socket has failed.
ssize_t send_bytes(tcp_connection& c, iovec* pieces, std::size_t n);

}  // namespace oshen::transport::tcp
