// The frames of a connection. Each begins with a head, which some kinds extend by two words, and the payload follows.
// All PEs of a job have the same byte order. TCP keeps frames in order, so a frame is executed after all frames before
// it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen::transport::tcp {

enum class frame_kind : std::uint8_t {
  put = 1,
  put_and_set,      // a put, and then the set of a signal
  put_and_add,      // a put, and then an addition to a signal
  atomic,           // an operation on an object of `bytes` bytes, without a result; no payload follows
  get,              // `bytes` is the length that the reply has; no payload follows
  fetch,            // the same for an atomic operation
  get_reply,        // replies come in the order of the gets and fetches of a connection
  message,          // for the message handler
  acknowledgement,  // of the operations in frame_head::executed
  goodbye,          // the sender closes the connection, and expects nothing more
  last = goodbye,
};

struct frame_head {
  std::uint32_t bytes;     // of payload
  std::uint32_t executed;  // operations of the receiver's frames that the sender has executed, modulo 2^32
  frame_kind kind;
  bool wants_acknowledgement;  // soon, of everything up to this frame
  std::uint16_t mark;          // frame_mark
  std::uint32_t code;          // transport::operation of an atomic operation
  std::uint64_t at;            // offset in the receiver's slice
};
inline constexpr std::uint16_t frame_mark = 0x6f74;

// The update of a signal, or the operands of an atomic operation.
struct frame_extension {
  std::uint64_t signal;  // offset in the receiver's slice; atomic operation: the operand `compare`
  std::uint64_t value;
};

struct frame {
  frame_head head;
  frame_extension extension;
};
static_assert(sizeof(frame_head) == 24 && sizeof(frame) == 40);

constexpr bool has_extension(frame_kind kind) {
  return (kind >= frame_kind::put_and_set && kind <= frame_kind::atomic) || kind == frame_kind::fetch;
}
constexpr std::size_t bytes_before_payload(frame_kind kind) {
  return has_extension(kind) ? sizeof(frame) : sizeof(frame_head);
}
constexpr bool has_payload(frame_kind kind) { return kind < frame_kind::atomic || kind > frame_kind::fetch; }

// Operations are counted and acknowledged; other frames are replies, or have replies.
constexpr bool is_operation(frame_kind kind) { return kind <= frame_kind::atomic; }

}  // namespace oshen::transport::tcp
