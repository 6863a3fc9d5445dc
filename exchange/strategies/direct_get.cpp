// Direct get: the receiver copies straight from the sender's `in`, which must be symmetric, to the
// final place in its own `out`. No slots, no packing.
//
// A sender offers: it tells each receiver where its `in` is, and ends its run when all have what
// they want. With `in` and `out` the same nobody could write before everybody has read: the plan
// must promise that they are apart. Memory: none. Messages: an address and a word per peer one way,
// a word the other; a get per run where not mapped. Copies of a byte: 1.
#include "../box_copy.hpp"
#include "../pieces.hpp"

namespace oshen::exchange {
namespace {

void start(oshen_plan& plan) {
  for (const auto& p : plan.sends) {
    std::uint64_t addresses[max_fields];
    for (std::size_t f = 0; f < plan.n_fields; f++)
      addresses[f] = static_cast<std::uint64_t>(plan.in[f] - plan.memory(0));
    shmem_putmem(plan.memory(p.offers), addresses, plan.n_fields * sizeof addresses[0], p.pe);
  }
  shmem_fence();
  for (const auto& p : plan.sends) announce(plan, p);
  want_arrivals(plan);
  want_ready(plan, plan.run);
}

void pull(const oshen_plan& plan, const incoming& p, const oshen_box_t& from_box,
          std::uint64_t from, const oshen_box_t& to_box, std::byte* to) {
  if (p.direct != nullptr) return transfer(from_box, p.direct + from, to_box, to);
  for_each_run(
      transfer_walk(from_box, to_box), [&](std::size_t far, std::size_t near, std::size_t n) {
        shmem_getmem(to + to_box.offset + near, plan.memory(from + from_box.offset + far), n, p.pe);
      });
}

void fetch(oshen_plan& plan, incoming& p) {
  const auto* from = reinterpret_cast<const std::uint64_t*>(plan.memory(offer_of(plan, p)));
  {
    const stopwatch timed(plan.stats.unpack_seconds);
    for (std::size_t f = 0; f < plan.n_fields; f++) {
      for (std::size_t i = 0; i < p.messages.size(); i++)
        pull(plan, p, p.far_boxes[i], from[f], p.messages[i].box, plan.out[f]);
    }
    is_here(plan, p);
  }
  shmem_fence();
  tell_sender(plan, p);
}

bool advance(oshen_plan& plan) {
  const bool fetched = take_arrivals(plan, fetch);
  return send_ready(plan, is_sent) || fetched;
}

}  // namespace

constinit const strategy direct_get = {
    .name = "direct_get",
    .about = "the receiver copies straight from the sender's buffer, which must be symmetric",
    .needs = need_boxes | need_in_symmetric | need_apart | need_same_shapes,
    .start = start,
    .advance = advance,
};

}  // namespace oshen::exchange
