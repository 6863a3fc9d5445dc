// NoPack (Tang et al. 2015, 4.3): every contiguous run of `in` is put by itself, to its place in
// the receiver's slot; synchronisation as in hybrid_barrier.
//
// On the wire elements lie as in the sender's memory, so that runs are as long as they can be; the
// receiver transposes.
// Memory: 1 slot per parcel at the receiver. Messages: a blocking put per run, a word per peer,
// ceil(log2 P) words for the barrier. Copies of a byte: 2 (put, unpack), in small pieces.
#include "../pieces.hpp"

namespace oshen::exchange {
namespace {

void start(oshen_plan& plan) {
  for (auto& p : plan.sends) send_rows(plan, p);
  want_arrivals(plan);
}

}  // namespace

constinit const strategy nopack = {
    .name = "nopack",
    .about = "no packing: a blocking put for every contiguous run, a barrier at the end",
    .slots = 1,
    .needs = need_boxes,
    .order_of_sender = true,
    .start = start,
    .advance = unpack_then_gather,
    .over = gathered,
};

}  // namespace oshen::exchange
