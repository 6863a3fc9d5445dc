// AdvChkBuff (Tang et al. 2015, 4.3): as chkbuff, but what has arrived is unpacked while slots of
// slow peers are still taken.
//
// Where `out` overlaps `in`, unpacking would destroy what has not been sent. The paper unpacks into
// a second buffer; here only the late parcels are packed into staging memory first.
// Memory: 1 slot per parcel at the receiver. Messages: a put (none where mapped) and a word per
// peer, and a word back. Copies of a byte: 2 (pack, unpack); of late parcels of aliased runs, and
// by puts, 3.
#include "../pieces.hpp"

namespace oshen::exchange {
namespace {

void start(oshen_plan& plan) {
  want_ready(plan, plan.run - 1);
  want_arrivals(plan);
  send_ready(plan, send);
}

bool advance(oshen_plan& plan) {
  const bool sent = send_ready(plan, send);
  return take_arrivals(plan, unpack_and_free) || sent;
}

}  // namespace

constinit const strategy advchkbuff = {
    .name = "advchkbuff",
    .about = "as chkbuff, but unpack what has arrived while slots of slow peers are taken",
    .slots = 1,
    .start = start,
    .advance = advance,
};

}  // namespace oshen::exchange
