// The messages of the hub to one PE that its stream has not taken yet. A message may leave in parts; the next one
// begins after its last byte.
#pragma once

#include "bootstrap/wire.hpp"

namespace oshen::bootstrap {

class outbox {
 public:
  void begin(const sip_key& secret, const wire::handshake& h) {
    signer_.begin(secret, h, wire::stream_direction::to_pe);
  }

  // Signs a message, and adds it behind the earlier ones. The receiver checks signatures in the order of signing, which
  // therefore is the order of sending. `body` stays with the caller, and does not change until the message is sent.
  // False: there is no room, and nothing is added or signed.
  bool add(wire::header head, const void* body);
  // Sends the bytes that the stream takes now. False: the stream is broken (errno).
  bool send(int fd);
  bool is_empty() const { return n_ == 0; }
  // Drops all messages, because the stream has ended.
  void clear();

 private:
  struct message {
    wire::header head;
    const void* body;
  };

  bool send_part(int fd, const void* from, std::size_t bytes, std::size_t before);

  static constexpr int most = 2;  // the result of a round, and the notice of the end
  message messages_[most]{};      // the oldest first
  int n_ = 0;
  std::size_t sent_ = 0;  // bytes of the oldest message
  wire::signer signer_;
};

}  // namespace oshen::bootstrap
