#include "bootstrap/outbox.hpp"

#include "os/socket.hpp"

namespace oshen::bootstrap {

bool outbox::add(wire::header head, const void* body) {
  if (n_ == most) return false;
  signer_.sign(head);
  messages_[n_++] = {head, body};
  return true;
}

bool outbox::send(int fd) {
  while (n_ != 0) {
    const message& first = messages_[0];
    const std::size_t all = sizeof first.head + first.head.bytes;
    if (!send_part(fd, &first.head, sizeof first.head, 0)) return false;
    if (sent_ >= sizeof first.head && !send_part(fd, first.body, first.head.bytes, sizeof first.head)) return false;
    if (sent_ != all) return true;
    sent_ = 0;
    --n_;
    for (int i = 0; i < n_; ++i) messages_[i] = messages_[i + 1];
  }
  return true;
}

void outbox::clear() {
  n_ = 0;
  sent_ = 0;
}

// Sends the rest of the part of the oldest message that begins after `before` bytes.
bool outbox::send_part(int fd, const void* from, std::size_t bytes, std::size_t before) {
  if (sent_ >= before + bytes) return true;
  const std::size_t done = sent_ - before;
  const std::ptrdiff_t sent = os::send_some(fd, static_cast<const char*>(from) + done, bytes - done);
  if (sent < 0) return false;
  sent_ += static_cast<std::size_t>(sent);
  return true;
}

}  // namespace oshen::bootstrap
