// The endpoint's own messages: an AM request for an atomic operation and its reply, a pack (transport/pack.hpp) and its
// reply.
#pragma once

#include "transport/transport.hpp"

namespace oshen::transport {

enum class am_kind : std::uint8_t { request, reply, pack, pack_reply };

// An AM request for an atomic operation, and its reply.
struct am_packet {
  am_kind kind;
  operation op;
  width bytes;
  std::uint8_t unused = 0;
  std::int32_t number;  // index in the requester's `requests_`
  std::uint64_t at;     // offset in the target's slice
  std::uint64_t value;  // in a reply: the value before the operation
  std::uint64_t compare;
};
static_assert(sizeof(am_packet) <= min_message_bytes);

// The beginning of a pack, and of the reply to it.
struct pack_head {
  am_kind kind;
  std::uint8_t unused[3];
  std::int32_t number;  // index in the requester's `requests_`
};

}  // namespace oshen::transport
