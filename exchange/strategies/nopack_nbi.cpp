// NoPack with puts that do not block (Tang et al. 2015, 4.3 and 5.3: there a setting of Cray's
// library, today shmem_put_nbi): as nopack, but the puts of all peers are under way together and
// completed by one quiet.
//
// Memory: 1 slot per parcel at the receiver. Messages: a put per run, a word per peer, ceil(log2 P)
// words for the barrier. Copies of a byte: 2 (put, unpack), in small pieces.
#include "../pieces.hpp"

namespace oshen::exchange {
namespace {

void start(oshen_plan& plan) {
  for (auto& p : plan.sends) deliver_rows(plan, p, put::nbi);
  shmem_quiet();
  for (const auto& p : plan.sends) announce(plan, p);
  want_arrivals(plan);
}

}  // namespace

constinit const strategy nopack_nbi = {
    .name = "nopack_nbi",
    .about = "no packing: non-blocking puts for every run, one quiet, a barrier at the end",
    .slots = 1,
    .needs = need_boxes,
    .order_of_sender = true,
    .start = start,
    .advance = unpack_then_gather,
    .over = gathered,
};

}  // namespace oshen::exchange
