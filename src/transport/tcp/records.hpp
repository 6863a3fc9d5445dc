// Authenticated streams (OSHEN_SECURE=1). Each direction of a connection consists of records, which carry its frames:
//   head, 8 bytes    the length of the payload, and 32 bits of a tag of it
//   payload          up to 16 KiB
//   tag, 16 bytes    SipHash-2-4 of the number of the record, its head and its payload
// Each direction of each connection has a key of its own (transport/tcp/handshake.hpp). The number counts the records
// of the direction, and is not sent. So a record that was changed, repeated, swapped, inserted or left out is noticed
// before a byte of it is used. The tag in the head lets the receiver notice a changed length without waiting for more
// bytes.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "base/sip.hpp"

namespace oshen::transport::tcp {

inline constexpr std::size_t most_in_record = 16 * 1024;

struct record_head {
  std::uint32_t bytes;  // of the payload
  std::uint32_t check;
};

inline constexpr std::size_t record_overhead = sizeof(record_head) + sizeof(sip_sum);

// Makes records of one direction, one at a time.
class record_writer {
 public:
  void begin(const sip_key& key) { key_ = key; }

  // Makes a record of the first bytes of the pieces, which are free afterwards. Returns the number of these bytes. The
  // record before must have been sent.
  std::size_t seal(const iovec* pieces, std::size_t n);

  const char* unsent() const { return text_ + begin_; }
  std::size_t n_unsent() const { return end_ - begin_; }
  void note_sent(std::size_t bytes) { begin_ += bytes; }
  void drop() { begin_ = end_; }

 private:
  sip_key key_{};
  std::uint64_t number_ = 0;
  std::size_t begin_ = 0, end_ = 0;
  char text_[sizeof number_ + most_in_record + record_overhead];  // the number, which is not sent, and the record
};

// Checks records of one direction.
class record_reader {
 public:
  enum class result : std::uint8_t { opened, incomplete, forged };

  void begin(const sip_key& key) { key_ = key; }

  // Where to receive the next bytes, and how many.
  char* to() { return text_ + end_; }
  std::size_t room() const { return sizeof text_ - end_; }
  void note_received(std::size_t bytes) { end_ += bytes; }

  // The payload of the next record. It is valid until the next call.
  result open(const char*& payload, std::size_t& bytes);

 private:
  void move_to_front();

  sip_key key_{};
  std::uint64_t number_ = 0;
  // The number of the first record stands before it when its tag is computed.
  static constexpr std::size_t front = sizeof number_;
  std::size_t begin_ = front, end_ = front;
  char text_[front + 2 * (most_in_record + record_overhead)];
};

// Of one connection.
struct record_layer {
  record_writer out;
  record_reader in;
};

}  // namespace oshen::transport::tcp
