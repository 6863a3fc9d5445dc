// ChkBuff (Tang et al. 2015, 4.3): no barrier; a PE puts into a slot when its owner has said that
// the run before has been unpacked, and unpacks when all its own parcels are gone.
//
// Memory: 1 slot per parcel at the receiver. Messages: a put (none where mapped) and a word per
// peer, and a word back. Copies of a byte: 2 (pack, unpack); by puts 3.
#include "../pieces.hpp"

namespace oshen::exchange {
namespace {

bool send_some(oshen_plan& plan) {
  const bool moved = send_ready(plan, send);
  if (moved && plan.unsent == 0) want_arrivals(plan);
  return moved;
}

void start(oshen_plan& plan) {
  want_ready(plan, plan.run - 1);
  if (plan.unsent == 0) want_arrivals(plan);
  send_some(plan);
}

bool advance(oshen_plan& plan) {
  if (plan.unsent != 0) return send_some(plan);
  return take_arrivals(plan, unpack_and_free);
}

}  // namespace

constinit const strategy chkbuff = {
    .name = "chkbuff",
    .about = "a word per parcel each way: arrived, slot free; unpack when all is sent",
    .slots = 1,
    .start = start,
    .advance = advance,
};

}  // namespace oshen::exchange
