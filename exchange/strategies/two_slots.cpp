// Strategies with two slots for each parcel, which are used in turn and need no credit before a parcel is sent.
//
// A PE sends in run n + 2 after its run n + 1 is over. Until then it has received the receiver's parcel of run n + 1,
// which the receiver sent after it had unpacked run n. So the slot of run n is free. If the receiver has no parcel for
// the sender, it raises a ready flag instead: completion::ready_flags.
#include "exchange/run/parcels.hpp"
#include "exchange/strategies/table.hpp"
#include "trials/stopwatch.hpp"

namespace oshen::exchange {
namespace {

void pack_local(oshen_plan& plan, outgoing& p) {
  {
    const trials::stopwatch timed(plan.stats.pack_seconds);
    pack_parcel(plan, p, plan.memory(p.packed + parity(plan) * plan.pack_stride));
  }
  shmem_fence();
  raise_arrived(plan, p);
}

void fetch(oshen_plan& plan, incoming& p) {
  const std::size_t packed = p.packed + parity(plan) * p.packed_stride;
  if (p.mapped != nullptr) return unpack_parcel(plan, p, p.mapped + packed);
  shmem_getmem(staging_of(plan, p), plan.memory(packed), p.bytes, p.pe);
  unpack_parcel(plan, p, staging_of(plan, p));
}

}  // namespace

// put_signal: one put with signal for each parcel.
//
// The signal holds the number of the run, so flags are never reset. Memory: 2 slots per parcel at the receiver.
// Messages: one put with signal per peer; only a flag if the peer is mapped. Copies of a byte: 2 (pack, unpack); with
// puts 3.
constinit const strategy put_signal = {
    .name = "put_signal",
    .about = "one put with signal per peer, two slots, no credits",
    .slots = 2,
    .completes_with = completion::ready_flags,
    .send = send_with_signal,
    .receive = unpack_slot,
};

// get: the sender packs into its own symmetric memory and raises a flag; the receiver fetches the parcel, or unpacks it
// straight from the sender's memory if that is mapped.
//
// The slots are the sender's. The sender writes only local memory; the receiver pays for the distance. Memory: 2 slots
// per parcel at the sender. Messages: a flag per peer, and a get if the sender is not mapped. Copies of a byte: 2
// (pack, unpack); with gets 3.
constinit const strategy get = {
    .name = "get",
    .about = "the sender packs into its own memory, the receiver fetches and unpacks",
    .packs = 2,
    .needs = need_receive_staging,
    .completes_with = completion::ready_flags,
    .send = pack_local,
    .receive = fetch,
};

}  // namespace oshen::exchange
