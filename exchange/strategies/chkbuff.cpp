// Strategies without a barrier: two flags per parcel, "arrived" at the receiver and "slot free" at the sender.
//
// Memory: 1 slot per parcel at the receiver. Messages: a put (none if mapped; without packing one per block) and a flag
// per peer, and a flag back. Copies of a byte: 2 (pack or put, unpack); if packed and put 3.
#include "exchange/run/parcels.hpp"
#include "exchange/strategies/table.hpp"

namespace oshen::exchange {

// ChkBuff (Tang et al. 2015, 4.3): a PE puts into a slot after the slot's owner has unpacked the previous run, and
// unpacks after all its own parcels are sent.
constinit const strategy chkbuff = {
    .name = "chkbuff",
    .about = "two flags per parcel, arrived and slot free; unpack when everything is sent",
    .slots = 1,
    .sends_when = send_condition::slot_free,
    .sends_first = true,
    .acknowledges = true,
    .send = send_packed,
    .receive = unpack_slot,
};

// AdvChkBuff (Tang et al. 2015, 4.3): as chkbuff, but parcels are unpacked while slots at slow peers are still in use.
//
// If `out` overlaps `in`, unpacking would destroy unsent data. The paper unpacks into a second buffer; here only the
// unsent parcels are packed into staging memory first, at the cost of one more copy of those.
constinit const strategy advchkbuff = {
    .name = "advchkbuff",
    .about = "as chkbuff, but unpack what has arrived while slots of slow peers are in use",
    .slots = 1,
    .sends_when = send_condition::slot_free,
    .acknowledges = true,
    .send = send_packed,
    .receive = unpack_slot,
};

// AdvChkBuff without packing, which Tang et al. 2015 (6) name as future work. Puts as in nopack.
constinit const strategy advchkbuff_nopack = {
    .name = "advchkbuff_nopack",
    .about = "as advchkbuff, but a put for every contiguous block instead of packing",
    .slots = 1,
    .needs = need_boxes,
    .sender_order = true,
    .sends_when = send_condition::slot_free,
    .acknowledges = true,
    .send = send_blocks,
    .receive = unpack_slot,
};

}  // namespace oshen::exchange
