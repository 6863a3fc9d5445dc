#include "coll/choosing/cost.hpp"

namespace oshen::coll {

double across(const setting& s, double steps, double messages, double bytes) {
  return steps * s.on.network_ns + messages * s.on.network_message_ns + bytes * s.on.network_byte_ns;
}

double flagged_across(const setting& s, double steps, double messages, double bytes) {
  constexpr double taken_along = 4096;
  const double flags = bytes <= messages * taken_along ? 0 : messages;
  return across(s, steps, (messages + flags) * s.domain, bytes * s.domain);
}

double room_across(const setting& s, double messages, double bytes) {
  if (!s.spans || (messages + 1) * static_cast<double>(s.bytes) <= far_payload_bytes) return 0;
  const double pieces = messages + 2 * bytes / bounce_bytes;
  return across(s, (messages + pieces) / 2, pieces * s.domain, 0);
}

}  // namespace oshen::coll
