// Get: the sender packs into its own symmetric memory and says so; the receiver fetches, and
// unpacks straight from the sender's memory where that is mapped.
//
// Slots are the sender's, two of them, safe for the reason given in put_signal.cpp. The writer
// stays in its own memory; the reader pays for the distance. Memory: 2 slots per parcel at the
// sender. Messages: a word per peer, and a get where the sender is not mapped. Copies of a byte: 2
// (pack, unpack); by gets 3.
#include "../pieces.hpp"

namespace oshen::exchange {
namespace {

void start(oshen_plan& plan) {
  greet(plan);
  for (auto& p : plan.sends) {
    {
      const stopwatch timed(plan.stats.pack_seconds);
      pack_parcel(plan, p, plan.memory(p.packed + parity(plan) * plan.pack_step));
      is_sent(plan, p);
    }
    shmem_fence();
    announce(plan, p);
  }
  want_arrivals(plan);
}

void fetch(oshen_plan& plan, incoming& p) {
  secure(plan);
  const stopwatch timed(plan.stats.unpack_seconds);
  const std::size_t packed = p.packed + parity(plan) * p.packed_step;
  if (p.direct != nullptr) {
    unpack_parcel(plan, p, p.direct + packed);
  } else {
    std::byte* near = plan.staging.get() + p.staged;
    shmem_getmem(near, plan.memory(packed), p.bytes, p.pe);
    unpack_parcel(plan, p, near);
  }
  is_here(plan, p);
}

bool advance(oshen_plan& plan) {
  const bool moved = take_arrivals(plan, fetch);
  return take_greetings(plan) || moved;
}

}  // namespace

constinit const strategy get = {
    .name = "get",
    .about = "the sender packs at home, the receiver fetches and unpacks in one go",
    .packs = 2,
    .needs = need_receive_staging,
    .start = start,
    .advance = advance,
    .over = greeted,
};

}  // namespace oshen::exchange
