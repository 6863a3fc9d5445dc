#include "coll/select/cost.hpp"

namespace oshen::coll {

double network_cost(const team_shape& s, double steps, double messages, double bytes) {
  return steps * s.on.network_ns + messages * s.on.network_message_ns + bytes * s.on.network_byte_ns;
}

double flagged_network_cost(const team_shape& s, double steps, double messages, double bytes) {
  constexpr double taken_along = 4096;
  const double flags = bytes <= messages * taken_along ? 0 : messages;
  return network_cost(s, steps, (messages + flags) * s.domain, bytes * s.domain);
}

double credit_network_cost(const team_shape& s, double messages, double bytes) {
  if (!s.spans || (messages + 1) * static_cast<double>(s.bytes) <= far_payload_bytes) return 0;
  const double chunks = messages + 2 * bytes / bounce_bytes;
  return network_cost(s, (messages + chunks) / 2, chunks * s.domain, 0);
}

}  // namespace oshen::coll
