// The three wires, and what they cost.
#pragma once

#include "coll/wire/message.hpp"
#include "coll/wire/pull.hpp"
#include "coll/wire/put.hpp"

namespace oshen::coll {

// Nanoseconds of one message of a wire, from the sender's call to the receiver's return, with a CPU for each PE.
struct wire_price {
  double message;
  double byte;
};
template <class Wire>
inline constexpr wire_price price_of{120, 0.06};
template <>
inline constexpr wire_price price_of<message_wire>{350, 0.08};
template <>
inline constexpr wire_price price_of<pull_wire>{220, 0.05};

// `messages` that follow one another and carry `bytes` in all. Where PEs share CPUs each step waits for the other PEs.
template <class Wire>
double wire_cost(const setting& s, double messages, double bytes) {
  if (!s.room) return impossible;
  const double step = s.cpu_for_each ? price_of<Wire>.message : 1500.0 * s.n_pes;
  return messages * step + bytes * price_of<Wire>.byte;
}

}  // namespace oshen::coll
