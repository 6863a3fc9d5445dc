// Direct: straight into the final place in the receiver's `out`, which must be symmetric. No slots,
// no unpacking.
//
// A receiver invites: it tells each sender where its `out` is, when nobody needs what lies there.
// Where `out` overlaps its own `in`, that is after it has copied all that it has to send, or all
// PEs would wait for one another in a circle. So an aliased run costs as many copies as put_signal
// and waits longer; what pays is two buffers used in turn. Memory: none; aliased runs: staging of
// all that is sent. Messages: an address and a word per peer one way, a word the other; a put per
// run where not mapped. Copies of a byte: 1; aliased 2.
#include "../box_copy.hpp"
#include "../pieces.hpp"

namespace oshen::exchange {
namespace {

void invite(oshen_plan& plan) {
  for (const auto& p : plan.receives) {
    std::uint64_t addresses[max_fields];
    for (std::size_t f = 0; f < plan.n_fields; f++)
      addresses[f] = static_cast<std::uint64_t>(plan.out[f] - plan.memory(0));
    shmem_putmem(plan.memory(p.invitations), addresses, plan.n_fields * sizeof addresses[0], p.pe);
  }
  shmem_fence();
  for (const auto& p : plan.receives) tell_sender(plan, p);
}

void move(const oshen_plan& plan, const outgoing& p, const oshen_box_t& from_box,
          const std::byte* from, const oshen_box_t& to_box, std::uint64_t to) {
  if (p.direct != nullptr) return transfer(from_box, from, to_box, p.direct + to);
  for_each_run(
      transfer_walk(from_box, to_box), [&](std::size_t near, std::size_t far, std::size_t n) {
        shmem_putmem(plan.memory(to + to_box.offset + far), from + from_box.offset + near, n, p.pe);
      });
}

void place(oshen_plan& plan, outgoing& p) {
  const auto* to = reinterpret_cast<const std::uint64_t*>(plan.memory(invitation_of(plan, p)));
  {
    const stopwatch timed(plan.stats.pack_seconds);
    const std::byte* staged = plan.staging.get() + p.staged;
    for (std::size_t f = 0; f < plan.n_fields; f++, staged += p.bytes / plan.n_fields) {
      for (std::size_t i = 0; i < p.messages.size(); i++) {
        const message& m = p.messages[i];
        if (p.state == outgoing_state::staged) {
          move(plan, p, dense(m.box), staged + m.offset, p.far_boxes[i], to[f]);
        } else {
          move(plan, p, m.box, plan.in[f], p.far_boxes[i], to[f]);
        }
      }
    }
    if (p.direct != nullptr) plan.stats.bytes_direct += p.bytes;
    is_sent(plan, p);
  }
  shmem_fence();
  announce(plan, p);
}

void start(oshen_plan& plan) {
  secure(plan);
  invite(plan);
  want_ready(plan, plan.run);
  want_arrivals(plan);
}

bool advance(oshen_plan& plan) {
  const bool sent = send_ready(plan, place);
  return take_arrivals(plan, is_here) || sent;
}

}  // namespace

constinit const strategy direct = {
    .name = "direct",
    .about = "straight into the receiver's final place; its buffer must be symmetric",
    .needs = need_boxes | need_out_symmetric | need_same_shapes,
    .start = start,
    .advance = advance,
};

}  // namespace oshen::exchange
