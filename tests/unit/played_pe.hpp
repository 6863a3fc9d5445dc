// PEs that a test plays: they send and check the messages of a hub's stream (bootstrap/wire.hpp) by hand.
#pragma once

#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "bootstrap/job_page.hpp"
#include "bootstrap/wire.hpp"

namespace oshen::bootstrap {

inline constexpr int patience_milliseconds = 20000;  // for messages that must come

inline int queued_bytes(int fd, unsigned long request) {
  int bytes = -1;
  EXPECT_EQ(ioctl(fd, request, &bytes), 0);
  return bytes;
}

struct received {
  wire::header head{};
  std::vector<char> body;
};

// One end of a stream of messages, with the checks of a PE.
class reader {
 public:
  reader(const sip_key& secret, const wire::handshake& h) : secret_(secret) {
    signer_.begin(secret, h, wire::stream_direction::to_pe);
  }
  // The next message. False: the stream ends, or the message is not as it was sent.
  bool read(int fd, received& out) {
    if (!os::receive_all(fd, &out.head, sizeof out.head, patience_milliseconds)) return false;
    if (!signer_.check(out.head)) return is_authentic_ = false;
    out.body.resize(out.head.bytes);
    if (!os::receive_all(fd, out.body.data(), out.body.size(), patience_milliseconds)) return false;
    const sip_sum sum = wire::sum_of_body(secret_, out.body.data(), out.body.size());
    return is_authentic_ = same_sum(sum, out.head.body);
  }
  bool is_authentic() const { return is_authentic_; }

 private:
  sip_key secret_;
  wire::signer signer_;
  bool is_authentic_ = true;
};

inline wire::header head_of(const sip_key& secret, wire::message_kind kind, int value, const std::vector<char>& body) {
  return {kind, 0, value, 0, body.size(), wire::sum_of_body(secret, body.data(), body.size()), {}};
}

// A PE that the test plays.
class player {
 public:
  player(int fd, int pe, const sip_key& secret, const wire::handshake& h)
      : fd_(fd), pe_(pe), secret_(secret), reader_(secret, h) {
    signer_.begin(secret, h, wire::stream_direction::to_hub);
  }
  ~player() { close(fd_); }
  player(const player&) = delete;
  player& operator=(const player&) = delete;

  void send(wire::message_kind kind, int value = 0, bool has_parent = false, const std::vector<char>& body = {}) {
    wire::header head = head_of(secret_, kind, value, body);
    head.pe = pe_;
    head.flag = has_parent ? 1 : 0;
    signer_.sign(head);
    ASSERT_TRUE(os::send_all(fd_, &head, sizeof head, patience_milliseconds));
    ASSERT_TRUE(os::send_all(fd_, body.data(), body.size(), patience_milliseconds));
  }
  bool read(received& out) { return reader_.read(fd_, out); }
  void expect(wire::message_kind kind, std::size_t bytes) {
    received m;
    ASSERT_TRUE(read(m)) << (reader_.is_authentic() ? "the stream ended" : "a message is not as it was sent");
    EXPECT_EQ(m.head.kind, kind);
    EXPECT_EQ(m.head.bytes, bytes);
  }
  bool is_authentic() const { return reader_.is_authentic(); }
  int unread_bytes() const { return queued_bytes(fd_, SIOCINQ); }
  // Returns when the hub has handled all messages of this PE but the last one.
  void await_hub() {
    send(wire::message_kind::state, static_cast<int>(pe_state::joined));
    while (queued_bytes(fd_, SIOCOUTQ) != 0) usleep(1000);
  }

 private:
  int fd_, pe_;
  sip_key secret_;
  reader reader_;
  wire::signer signer_;
};

}  // namespace oshen::bootstrap
