// HybridBarrier (Tang et al. 2015, 4.2): a word per parcel says that it has arrived, a barrier over
// the group after unpacking that the slots may be written again.
//
// The barrier of the paper was MPI's, because OpenSHMEM had none for irregular groups; ours is made
// of words (plan_barrier.hpp).
// Memory: 1 slot per parcel at the receiver. Messages: a put (none where mapped) and a word per
// peer, ceil(log2 P) words for the barrier. Copies of a byte: 2 (pack, unpack); by puts 3.
#include "../pieces.hpp"

namespace oshen::exchange {
namespace {

void start(oshen_plan& plan) {
  for (auto& p : plan.sends) send(plan, p);
  want_arrivals(plan);
}

}  // namespace

constinit const strategy hybrid_barrier = {
    .name = "hybrid_barrier",
    .about = "pack and put, a word per parcel, unpack in any order, a barrier at the end",
    .slots = 1,
    .start = start,
    .advance = unpack_then_gather,
    .over = gathered,
};

}  // namespace oshen::exchange
