// While a call receives from a connection, the frames that answer are collected, and leave together at its end.
#include <string.h>

#include "transport/tcp/tcp.hpp"

namespace oshen::transport::tcp {
namespace {

// Of the thread that receives.
constinit thread_local reply_batch* collecting = nullptr;

void send_batch(tcp_connection& c, reply_batch& b) {
  if (b.used == 0) return;
  os::locked hold(c.sending);
  submit_batch(c, b.buffer, b.used);
  b.used = 0;
}

}  // namespace

void begin_replies(tcp_connection& c) {
  collecting = &c.home->batch;
  collecting->to = &c;
  collecting->used = 0;
}

outcome reply(tcp_connection& to, outgoing& o) {
  reply_batch* const b = collecting;
  const bool collects = b != nullptr && b->to == &to;
  const std::size_t head_bytes = bytes_before_payload(o.preamble.head.kind);
  const std::size_t all = head_bytes + o.preamble.head.bytes;
  if (collects && b->used + all > sizeof b->buffer) send_batch(to, *b);
  if (collects && all <= sizeof b->buffer) {
    acknowledge_in(to, o.preamble.head);
    memcpy(b->buffer + b->used, &o.preamble, head_bytes);
    if (o.preamble.head.bytes != 0) collect(b->buffer + b->used + head_bytes, o.payload, o.preamble.head.bytes);
    b->used += all;
    return outcome::done;
  }
  os::locked hold(to.sending);
  return submit(to, o);
}

// An acknowledgement that the peer wants rides on the last reply, or leaves alone.
void end_replies(tcp_connection& c) {
  reply_batch& b = *collecting;
  if (c.wants_acknowledgement) {
    c.wants_acknowledgement = false;
    if (c.told.load(std::memory_order_relaxed) != c.executed.load(std::memory_order_relaxed)) {
      outgoing o{.preamble = {head_of(frame_kind::acknowledgement, 0, 0), {}}, .is_limited = false};
      static_cast<void>(reply(c, o));
    }
  }
  send_batch(c, b);
  collecting = nullptr;
}

}  // namespace oshen::transport::tcp
