// Straight between the user's buffers, one of which must be symmetric: no slots. Who has that buffer tells the others
// where it is, run by run: an address for each field, then the word. Memory: none. Messages: an address and a word per
// peer one way, a word the other; a put or a get per run where not mapped. Copies of a byte: 1; `direct` aliased 2.
#include <cstring>

#include "../box_copy.hpp"
#include "../list_copy.hpp"
#include "../parcels.hpp"
#include "../run.hpp"
#include "../stopwatch.hpp"

namespace oshen::exchange {
namespace {

// Where this PE's buffers are, in the arena of the peer at `at`.
template <class Pointer>
void tell_addresses(const oshen_plan& plan, const std::vector<Pointer>& buffers, std::size_t at, int pe) {
  std::uint64_t addresses[max_fields];
  for (std::size_t f = 0; f < plan.n_fields; f++)
    addresses[f] = static_cast<std::uint64_t>(buffers[f] - plan.memory(0));
  shmem_putmem(plan.memory(at), addresses, plan.n_fields * sizeof addresses[0], pe);
}

const std::uint64_t* addresses_at(const oshen_plan& plan, std::size_t at) {
  return reinterpret_cast<const std::uint64_t*>(plan.memory(at));
}

// ---- by puts

void invite(oshen_plan& plan) {
  secure(plan);
  for (const auto& p : plan.receives) tell_addresses(plan, plan.out, p.invitations, p.pe);
  shmem_fence();
  for (const auto& p : plan.receives) tell_sender(plan, p);
}

void move(const oshen_plan& plan, const outgoing& p, const oshen_box_t& from_box, const std::byte* from,
          const oshen_box_t& to_box, std::uint64_t to) {
  if (p.direct != nullptr) return transfer(from_box, from, to_box, p.direct + to);
  for_each_run(transfer_walk(from_box, to_box), [&](std::size_t near, std::size_t far, std::size_t n) {
    shmem_putmem(plan.memory(to + to_box.offset + far), from + from_box.offset + near, n, p.pe);
  });
}

// From offsets in `from`, or from one place after another.
void move_list(const oshen_plan& plan, const outgoing& p, const offset_list* offsets, const std::byte* from,
               const offset_list& far, std::size_t element, std::uint64_t to) {
  for_each_stretch(
      far.size(), element, [&](std::size_t i) { return offsets != nullptr ? (*offsets)[i] : i * element; },
      [&](std::size_t i) { return far[i]; },
      [&](std::size_t here, std::size_t there, std::size_t n) {
        if (p.direct != nullptr) {
          std::memcpy(p.direct + to + there, from + here, n);
        } else {
          shmem_putmem(plan.memory(to + there), from + here, n, p.pe);
        }
      });
}

void move_all(const oshen_plan& plan, const outgoing& p) {
  const std::uint64_t* to = addresses_at(plan, plan.invitation_of(p));
  const std::byte* wire = staged(plan, p);
  const bool aside = p.state == outgoing_state::staged;
  for (std::size_t f = 0; f < plan.n_fields; f++, wire += field_bytes(plan, p)) {
    for (std::size_t i = 0; i < p.messages.size(); i++) {
      const message& m = p.messages[i];
      if (!m.offsets.empty()) {
        move_list(plan, p, aside ? nullptr : &m.offsets, aside ? wire + m.offset : plan.in[f], p.far_offsets[i],
                  m.box.element, to[f]);
      } else if (aside) {
        move(plan, p, dense(m.box), wire + m.offset, p.far_boxes[i], to[f]);
      } else {
        move(plan, p, m.box, plan.in[f], p.far_boxes[i], to[f]);
      }
    }
  }
}

void place(oshen_plan& plan, outgoing& p) {
  {
    const stopwatch timed(plan.stats.pack_seconds);
    move_all(plan, p);
    if (p.direct != nullptr) plan.stats.bytes_direct += p.bytes;
  }
  shmem_fence();
  announce(plan, p);
}

// ---- by gets

void offer(oshen_plan& plan) {
  for (const auto& p : plan.sends) tell_addresses(plan, plan.in, p.offers, p.pe);
  shmem_fence();
  for (const auto& p : plan.sends) announce(plan, p);
}

void pull(const oshen_plan& plan, const incoming& p, const oshen_box_t& from_box, std::uint64_t from,
          const oshen_box_t& to_box, std::byte* to) {
  if (p.direct != nullptr) return transfer(from_box, p.direct + from, to_box, to);
  for_each_run(transfer_walk(from_box, to_box), [&](std::size_t far, std::size_t near, std::size_t n) {
    shmem_getmem(to + to_box.offset + near, plan.memory(from + from_box.offset + far), n, p.pe);
  });
}

void pull_list(const oshen_plan& plan, const incoming& p, const offset_list& far, std::uint64_t from, const message& m,
               std::byte* to) {
  for_each_stretch(
      far.size(), m.box.element, [&](std::size_t i) { return far[i]; }, [&](std::size_t i) { return m.offsets[i]; },
      [&](std::size_t there, std::size_t here, std::size_t n) {
        if (p.direct != nullptr) {
          std::memcpy(to + here, p.direct + from + there, n);
        } else {
          shmem_getmem(to + here, plan.memory(from + there), n, p.pe);
        }
      });
}

void fetch(oshen_plan& plan, incoming& p) {
  const std::uint64_t* from = addresses_at(plan, plan.offer_of(p));
  for (std::size_t f = 0; f < plan.n_fields; f++) {
    for (std::size_t i = 0; i < p.messages.size(); i++) {
      const message& m = p.messages[i];
      if (m.offsets.empty()) {
        pull(plan, p, p.far_boxes[i], from[f], m.box, plan.out[f]);
      } else {
        pull_list(plan, p, p.far_offsets[i], from[f], m, plan.out[f]);
      }
    }
  }
}

}  // namespace

// Into the final place in the receiver's `out`. A receiver invites when nobody needs what lies there.
//
// Where `out` overlaps its own `in`, that is after it has copied all that it has to send, or all PEs would wait for one
// another in a circle. So an aliased run costs as many copies as put_signal and waits longer; what pays is two buffers
// used in turn.
constinit const strategy direct = {
    .name = "direct", .about = "straight into the receiver's final place; its buffer must be symmetric",
    .needs = need_boxes | need_out_symmetric | need_same_shapes,
    .leaves = leaving::told,
    .prepare = invite, .send = place,
};

// From the sender's `in`. A sender offers, and ends its run when all have what they want. With `in` and `out` the same
// nobody could write before everybody has read: the plan must promise that they are apart.
constinit const strategy direct_get = {
    .name = "direct_get", .about = "the receiver copies straight from the sender's buffer, which must be symmetric",
    .needs = need_boxes | need_in_symmetric | need_apart | need_same_shapes,
    .leaves = leaving::told,
    .answers = true,
    .prepare = offer, .take = fetch,
};

}  // namespace oshen::exchange
