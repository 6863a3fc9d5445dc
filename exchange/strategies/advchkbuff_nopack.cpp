// AdvChkBuff without packing: what Tang et al. 2015 left for the future (6). Slots and words as in
// advchkbuff, puts as in nopack.
//
// Memory: 1 slot per parcel at the receiver. Messages: a put per run, a word per peer, and a word
// back. Copies of a byte: 2 (put, unpack) in small pieces; of late parcels of aliased runs 3.
#include "../pieces.hpp"

namespace oshen::exchange {
namespace {

void start(oshen_plan& plan) {
  want_ready(plan, plan.run - 1);
  want_arrivals(plan);
  send_ready(plan, send_rows);
}

bool advance(oshen_plan& plan) {
  const bool sent = send_ready(plan, send_rows);
  return take_arrivals(plan, unpack_and_free) || sent;
}

}  // namespace

constinit const strategy advchkbuff_nopack = {
    .name = "advchkbuff_nopack",
    .about = "as advchkbuff, but a put for every contiguous run instead of packing",
    .slots = 1,
    .needs = need_boxes,
    .order_of_sender = true,
    .start = start,
    .advance = advance,
};

}  // namespace oshen::exchange
