// Bulk barrier: pack and put everything, one barrier over the group, unpack everything.
//
// The simplest, and on a node with one PE per core a good one. Two slots make one barrier enough: a
// PE in run n + 1 has passed the barrier of run n, which its peers entered after they had unpacked
// run n - 1, the last user of that slot.
// Memory: 2 slots per parcel at the receiver. Messages: one put per peer (none where the receiver
// is mapped), ceil(log2 P) words for the barrier. Copies of a byte: 2 (pack, unpack); by puts 3.
#include "../pieces.hpp"

namespace oshen::exchange {
namespace {

void start(oshen_plan& plan) {
  for (auto& p : plan.sends) deliver(plan, p);
  shmem_quiet();
  plan.barrier.enter(plan.watch, plan.run);
}

bool advance(oshen_plan& plan) {
  const bool moved = plan.barrier.advance(plan.watch);
  if (!plan.barrier.passed() || plan.expected == 0) return moved;
  for (auto& p : plan.receives) unpack_slot(plan, p);
  return true;
}

}  // namespace

constinit const strategy bulk_barrier = {
    .name = "bulk_barrier",
    .about = "pack and put everything, one barrier over the group, unpack everything",
    .slots = 2,
    .start = start,
    .advance = advance,
    .over = gathered,
};

}  // namespace oshen::exchange
