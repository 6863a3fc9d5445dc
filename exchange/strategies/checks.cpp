// No barrier: a word per parcel each way, "arrived" and "the slot is free".
//
// Memory: 1 slot per parcel at the receiver. Messages: a put (none where mapped; without packing one per run) and a
// word per peer, and a word back. Copies of a byte: 2 (pack or put, unpack); where packed and put 3.
#include "../parcels.hpp"

namespace oshen::exchange {

// ChkBuff (Tang et al. 2015, 4.3): a PE puts into a slot when its owner has said that the run before has been unpacked,
// and unpacks when all its own parcels are gone.
constinit const strategy chkbuff = {
    .name = "chkbuff", .about = "a word per parcel each way: arrived, slot free; unpack when all is sent",
    .slots = 1,
    .leaves = leaving::slot_is_free,
    .sends_first = true,
    .answers = true,
    .send = send_packed, .take = unpack_slot,
};

// AdvChkBuff (Tang et al. 2015, 4.3): what has arrived is unpacked while slots of slow peers are still taken.
//
// Where `out` overlaps `in`, unpacking would destroy what has not been sent. The paper unpacks into a second buffer;
// here only the late parcels are packed into staging memory first: one more copy of those.
constinit const strategy advchkbuff = {
    .name = "advchkbuff", .about = "as chkbuff, but unpack what has arrived while slots of slow peers are taken",
    .slots = 1,
    .leaves = leaving::slot_is_free,
    .answers = true,
    .send = send_packed, .take = unpack_slot,
};

// AdvChkBuff without packing: what Tang et al. 2015 left for the future (6). Puts as in nopack.
constinit const strategy advchkbuff_nopack = {
    .name = "advchkbuff_nopack", .about = "as advchkbuff, but a put for every contiguous run instead of packing",
    .slots = 1,
    .needs = need_boxes,
    .order_of_sender = true,
    .leaves = leaving::slot_is_free,
    .answers = true,
    .send = send_rows, .take = unpack_slot,
};

}  // namespace oshen::exchange
