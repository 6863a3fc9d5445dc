// Get: the sender packs into its own symmetric memory and says so; the receiver fetches, and unpacks straight from the
// sender's memory where that is mapped.
//
// Slots are the sender's, two of them, safe for the reason given in put_signal.cpp. The writer stays in its own memory;
// the reader pays for the distance. Memory: 2 slots per parcel at the sender. Messages: a word per peer, and a get
// where the sender is not mapped. Copies of a byte: 2 (pack, unpack); by gets 3.
#include "../parcels.hpp"
#include "../stopwatch.hpp"

namespace oshen::exchange {
namespace {

void pack_here(oshen_plan& plan, outgoing& p) {
  {
    const stopwatch timed(plan.stats.pack_seconds);
    pack_parcel(plan, p, plan.memory(p.packed + parity(plan) * plan.pack_step));
  }
  shmem_fence();
  announce(plan, p);
}

void fetch(oshen_plan& plan, incoming& p) {
  const std::size_t packed = p.packed + parity(plan) * p.packed_step;
  if (p.direct != nullptr) return unpack_parcel(plan, p, p.direct + packed);
  shmem_getmem(staged(plan, p), plan.memory(packed), p.bytes, p.pe);
  unpack_parcel(plan, p, staged(plan, p));
}

}  // namespace

constinit const strategy get = {
    .name = "get", .about = "the sender packs at home, the receiver fetches and unpacks in one go",
    .packs = 2,
    .needs = need_receive_staging,
    .ends = ending::greetings,
    .send = pack_here, .take = fetch,
};

}  // namespace oshen::exchange
