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

// The barrier of the paper: nobody puts into a slot that has not been unpacked.
bool advance(oshen_plan& plan) {
  const bool moved = take_arrivals(plan, unpack_slot);
  if (plan.expected == 0 && !plan.gathering.entered()) {
    plan.gathering.enter(plan.watch, plan.run);
    return true;
  }
  return plan.gathering.advance(plan.watch) || moved;
}

bool over(const oshen_plan& plan) {
  return plan.gathering.passed();
}

}  // namespace

constinit const strategy nopack = {
    .name = "nopack",
    .about = "no packing: a blocking put for every contiguous run, a barrier at the end",
    .slots = 1,
    .packs = 0,
    .needs = need_boxes,
    .order_of_sender = true,
    .start = start,
    .advance = advance,
    .over = over,
    .open = nullptr,
    .close = nullptr,
    .wait = nullptr,
};

}  // namespace oshen::exchange
