// Strategies that copy straight between the user's buffers, one of which must be symmetric. They need no slots: the
// owner of the symmetric buffer sends its address to the peers in every run, one address for each field, and then
// raises the flag. Memory: none. Messages: an address and a flag per peer in one direction, a flag in the other; a put
// or a get per block if the peer is not mapped. Copies of a byte: 1; `direct` with aliased buffers 2.
#include <cstring>

#include "exchange/copy/box_copy.hpp"
#include "exchange/copy/list_copy.hpp"
#include "exchange/run/parcels.hpp"
#include "exchange/run/run.hpp"
#include "exchange/strategies/table.hpp"
#include "trials/stopwatch.hpp"

namespace oshen::exchange {
namespace {

// Writes the addresses of this PE's buffers to offset `at` in the peer's arena, as offsets from the arena's base.
template <class Pointer>
void send_addresses(const oshen_plan& plan, const std::vector<Pointer>& buffers, std::size_t at, int pe) {
  std::uint64_t addresses[max_fields];
  for (std::size_t f = 0; f < plan.n_fields; f++)
    addresses[f] = static_cast<std::uint64_t>(buffers[f] - plan.memory(0));
  shmem_putmem(plan.memory(at), addresses, plan.n_fields * sizeof addresses[0], pe);
}

const std::uint64_t* addresses_at(const oshen_plan& plan, std::size_t at) {
  return reinterpret_cast<const std::uint64_t*>(plan.memory(at));
}

// ---- direct: puts

void offer_out(oshen_plan& plan) {
  stage_all(plan);
  for (const auto& p : plan.receives) send_addresses(plan, plan.out, p.out_addresses, p.pe);
  shmem_fence();
  for (const auto& p : plan.receives) raise_ready(plan, p);
}

void put_box(const oshen_plan& plan, const outgoing& p, const oshen_box_t& from_box, const std::byte* from,
             const oshen_box_t& to_box, std::uint64_t to) {
  if (p.mapped != nullptr) return transfer(from_box, from, to_box, p.mapped + to);
  for_each_block(copy_between(from_box, to_box), [&](std::size_t local, std::size_t remote, std::size_t n) {
    shmem_putmem(plan.memory(to + to_box.offset + remote), from + from_box.offset + local, n, p.pe);
  });
}

// Elements at offsets from `base`, or, without a list, one after another.
struct element_source {
  const std::byte* base;
  const offset_list* offsets;
  std::size_t element;
  std::size_t offset(std::size_t i) const { return offsets != nullptr ? (*offsets)[i] : i * element; }
};

void put_list(const oshen_plan& plan, const outgoing& p, const element_source& from, const offset_list& to_offsets,
              std::uint64_t to) {
  for_each_list_block(
      to_offsets.size(), from.element, [&](std::size_t i) { return from.offset(i); },
      [&](std::size_t i) { return to_offsets[i]; },
      [&](std::size_t local, std::size_t remote, std::size_t n) {
        if (p.mapped != nullptr) {
          std::memcpy(p.mapped + to + remote, from.base + local, n);
        } else {
          shmem_putmem(plan.memory(to + remote), from.base + local, n, p.pe);
        }
      });
}

void put_all(const oshen_plan& plan, const outgoing& p) {
  const std::uint64_t* to = addresses_at(plan, plan.out_addresses_of(p));
  const std::byte* wire = staging_of(plan, p);
  const bool staged = p.state == outgoing_state::staged;
  for (std::size_t f = 0; f < plan.n_fields; f++, wire += field_bytes(plan, p)) {
    for (std::size_t i = 0; i < p.messages.size(); i++) {
      const message& m = p.messages[i];
      if (!m.offsets.empty()) {
        const element_source from{staged ? wire + m.offset : plan.in[f], staged ? nullptr : &m.offsets, m.box.element};
        put_list(plan, p, from, p.peer_offsets[i], to[f]);
      } else if (staged) {
        put_box(plan, p, dense(m.box), wire + m.offset, p.peer_boxes[i], to[f]);
      } else {
        put_box(plan, p, m.box, plan.in[f], p.peer_boxes[i], to[f]);
      }
    }
  }
}

void send_direct(oshen_plan& plan, outgoing& p) {
  {
    const trials::stopwatch timed(plan.stats.pack_seconds);
    put_all(plan, p);
    if (p.mapped != nullptr) plan.stats.bytes_direct += p.bytes;
  }
  shmem_fence();
  raise_arrived(plan, p);
}

// ---- direct_get: gets

void offer_in(oshen_plan& plan) {
  for (const auto& p : plan.sends) send_addresses(plan, plan.in, p.in_addresses, p.pe);
  shmem_fence();
  for (const auto& p : plan.sends) raise_arrived(plan, p);
}

void get_box(const oshen_plan& plan, const incoming& p, const oshen_box_t& from_box, std::uint64_t from,
             const oshen_box_t& to_box, std::byte* to) {
  if (p.mapped != nullptr) return transfer(from_box, p.mapped + from, to_box, to);
  for_each_block(copy_between(from_box, to_box), [&](std::size_t remote, std::size_t local, std::size_t n) {
    shmem_getmem(to + to_box.offset + local, plan.memory(from + from_box.offset + remote), n, p.pe);
  });
}

void get_list(const oshen_plan& plan, const incoming& p, const offset_list& from_offsets, std::uint64_t from,
              const message& m, std::byte* to) {
  for_each_list_block(
      from_offsets.size(), m.box.element, [&](std::size_t i) { return from_offsets[i]; },
      [&](std::size_t i) { return m.offsets[i]; },
      [&](std::size_t remote, std::size_t local, std::size_t n) {
        if (p.mapped != nullptr) {
          std::memcpy(to + local, p.mapped + from + remote, n);
        } else {
          shmem_getmem(to + local, plan.memory(from + remote), n, p.pe);
        }
      });
}

void get_direct(oshen_plan& plan, incoming& p) {
  const std::uint64_t* from = addresses_at(plan, plan.in_addresses_of(p));
  for (std::size_t f = 0; f < plan.n_fields; f++) {
    for (std::size_t i = 0; i < p.messages.size(); i++) {
      const message& m = p.messages[i];
      if (m.offsets.empty()) {
        get_box(plan, p, p.peer_boxes[i], from[f], m.box, plan.out[f]);
      } else {
        get_list(plan, p, p.peer_offsets[i], from[f], m, plan.out[f]);
      }
    }
  }
}

}  // namespace

// direct: the sender writes to the final position in the receiver's `out`. The receiver offers the address of its `out`
// when the data there is no longer needed.
//
// If `out` overlaps the receiver's own `in`, the receiver first copies everything it has to send; otherwise all PEs
// would wait for one another in a circle. So an aliased run costs as many copies as put_signal and waits longer. To
// profit, use two buffers in turn.
constinit const strategy direct = {
    .name = "direct",
    .about = "straight into the receiver's output buffer, which must be symmetric",
    .needs = need_boxes | need_out_symmetric | need_same_shapes,
    .sends_when = send_condition::receiver_ready,
    .prepare = offer_out,
    .send = send_direct,
};

// direct_get: the receiver reads from the sender's `in`. The sender offers the address of its `in`, and its run ends
// when all receivers have read. If `in` and `out` were the same, no PE could write before all have read, so the plan
// must promise that they are apart.
constinit const strategy direct_get = {
    .name = "direct_get",
    .about = "the receiver copies straight from the sender's buffer, which must be symmetric",
    .needs = need_boxes | need_in_symmetric | need_apart | need_same_shapes,
    .sends_when = send_condition::receiver_ready,
    .acknowledges = true,
    .prepare = offer_in,
    .receive = get_direct,
};

}  // namespace oshen::exchange
