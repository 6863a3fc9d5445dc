#include "transport/tcp/records.hpp"

#include <string.h>

#include <algorithm>

#include "transport/memory_region.hpp"

namespace oshen::transport::tcp {
namespace {

std::uint32_t check_of_length(const sip_key& key, std::uint64_t number, std::uint32_t bytes) {
  const std::uint64_t text[2] = {number, bytes};
  return static_cast<std::uint32_t>(sip(key, text, sizeof text).word[0]);
}

// `text` begins with room for the number, and continues with the head and the payload.
sip_sum tag_of(const sip_key& key, std::uint64_t number, char* text, std::size_t payload) {
  memcpy(text, &number, sizeof number);
  return sip(key, text, sizeof number + sizeof(record_head) + payload);
}

}  // namespace

std::size_t record_writer::seal(const iovec* pieces, std::size_t n) {
  char* const payload = text_ + sizeof number_ + sizeof(record_head);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < n && bytes < most_in_record; ++i) {
    const std::size_t more = std::min(pieces[i].iov_len, most_in_record - bytes);
    collect(payload + bytes, static_cast<const char*>(pieces[i].iov_base), more);
    bytes += more;
  }
  const auto length = static_cast<std::uint32_t>(bytes);
  const record_head head{length, check_of_length(key_, number_, length)};
  memcpy(text_ + sizeof number_, &head, sizeof head);
  const sip_sum tag = tag_of(key_, number_++, text_, bytes);
  memcpy(payload + bytes, &tag, sizeof tag);
  begin_ = sizeof number_;
  end_ = begin_ + bytes + record_overhead;
  return bytes;
}

record_reader::result record_reader::open(const char*& payload, std::size_t& bytes) {
  record_head head;
  if (end_ - begin_ < sizeof head) {
    move_to_front();
    return result::incomplete;
  }
  memcpy(&head, text_ + begin_, sizeof head);
  if (head.bytes == 0 || head.bytes > most_in_record || head.check != check_of_length(key_, number_, head.bytes))
    return result::forged;
  if (end_ - begin_ < head.bytes + record_overhead) {
    move_to_front();
    return result::incomplete;
  }
  char* const record = text_ + begin_;
  sip_sum tag;
  memcpy(&tag, record + sizeof head + head.bytes, sizeof tag);
  if (!same_sum(tag, tag_of(key_, number_, record - sizeof number_, head.bytes))) return result::forged;
  ++number_;
  payload = record + sizeof head;
  bytes = head.bytes;
  begin_ += head.bytes + record_overhead;
  return result::opened;
}

void record_reader::move_to_front() {
  memmove(text_ + front, text_ + begin_, end_ - begin_);
  end_ -= begin_ - front;
  begin_ = front;
}

}  // namespace oshen::transport::tcp
