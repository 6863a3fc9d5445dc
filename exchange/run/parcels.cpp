#include "exchange/run/parcels.hpp"

#include <cstring>

#include "exchange/copy/box_copy.hpp"
#include "exchange/copy/list_copy.hpp"
#include "trials/stopwatch.hpp"

namespace oshen::exchange {
namespace {

std::size_t slot_at(const oshen_plan& plan, const outgoing& p) { return p.slot + parity(plan) * p.slot_stride; }

// Copies a parcel to wire memory, from `in` or from staging memory.
void fill_wire(const oshen_plan& plan, const outgoing& p, std::byte* wire) {
  if (p.state == outgoing_state::staged) {
    std::memcpy(wire, staging_of(plan, p), p.bytes);
  } else {
    pack_parcel(plan, p, wire);
  }
}

enum class put_mode { blocking, nbi };

void put_message(const message& m, const std::byte* from, std::byte* to, int pe, put_mode mode) {
  const auto put_block = [&](std::size_t local, std::size_t remote, std::size_t n) {
    if (mode == put_mode::nbi) {
      shmem_putmem_nbi(to + remote, from + local, n, pe);
    } else {
      shmem_putmem(to + remote, from + local, n, pe);
    }
  };
  const std::size_t element = m.box.element;
  if (m.offsets.empty()) {
    from += m.box.offset;
    for_each_block(copy_to_wire(m.box), put_block);
  } else {
    for_each_list_block(
        m.offsets.size(), element, [&](std::size_t i) { return m.offsets[i]; },
        [&](std::size_t i) { return i * element; }, put_block);
  }
}

void put_messages(const oshen_plan& plan, const outgoing& p, std::byte* slot, put_mode mode) {
  for (std::size_t f = 0; f < plan.n_fields; f++) {
    for (const auto& m : p.messages) put_message(m, plan.in[f], slot + f * field_bytes(plan, p) + m.offset, p.pe, mode);
  }
}

void put_blocks(oshen_plan& plan, const outgoing& p, put_mode mode) {
  const trials::stopwatch timed(plan.stats.pack_seconds);
  std::byte* slot = plan.memory(slot_at(plan, p));
  if (p.state == outgoing_state::staged) {
    shmem_putmem(slot, staging_of(plan, p), p.bytes, p.pe);
  } else {
    put_messages(plan, p, slot, mode);
  }
}

}  // namespace

void pack_parcel(const oshen_plan& plan, const parcel& p, std::byte* wire) {
  for (std::size_t f = 0; f < plan.n_fields; f++, wire += field_bytes(plan, p)) {
    for (const auto& m : p.messages) {
      if (plan.pack != nullptr) {
        plan.pack(plan.context, m.number, plan.in[f], wire + m.offset);
      } else if (!m.offsets.empty()) {
        gather_list(m.offsets, m.box.element, plan.in[f], wire + m.offset);
      } else {
        gather(m.box, plan.in[f], wire + m.offset);
      }
    }
  }
}

void unpack_parcel(const oshen_plan& plan, const parcel& p, const std::byte* wire) {
  for (std::size_t f = 0; f < plan.n_fields; f++, wire += field_bytes(plan, p)) {
    for (const auto& m : p.messages) {
      if (plan.unpack != nullptr) {
        plan.unpack(plan.context, m.number, wire + m.offset, plan.out[f]);
      } else if (!m.offsets.empty()) {
        scatter_list(m.offsets, m.box.element, wire + m.offset, plan.out[f]);
      } else {
        scatter(m.box, wire + m.offset, plan.out[f]);
      }
    }
  }
}

void raise_arrived(const oshen_plan& plan, const outgoing& p) {
  raise_flag(*plan.group->arena, p.arrived_flag, plan.run, p.pe);
}

void raise_ready(const oshen_plan& plan, const incoming& p) {
  raise_flag(*plan.group->arena, p.ready_flag, plan.run, p.pe);
}

void put_packed(oshen_plan& plan, outgoing& p) {
  const trials::stopwatch timed(plan.stats.pack_seconds);
  if (p.mapped != nullptr) {
    fill_wire(plan, p, p.mapped + slot_at(plan, p));
    plan.stats.bytes_direct += p.bytes;
  } else {
    if (p.state == outgoing_state::pending) pack_parcel(plan, p, staging_of(plan, p));
    shmem_putmem_nbi(plan.memory(slot_at(plan, p)), staging_of(plan, p), p.bytes, p.pe);
  }
}

void put_blocks_nbi(oshen_plan& plan, outgoing& p) { put_blocks(plan, p, put_mode::nbi); }

void send_packed(oshen_plan& plan, outgoing& p) {
  put_packed(plan, p);
  // The next run reuses the staging memory, so the put must be complete, not only ordered.
  if (p.mapped == nullptr) {
    shmem_quiet();
  } else {
    shmem_fence();
  }
  raise_arrived(plan, p);
}

void send_blocks(oshen_plan& plan, outgoing& p) {
  put_blocks(plan, p, put_mode::blocking);
  shmem_fence();
  raise_arrived(plan, p);
}

void send_with_signal(oshen_plan& plan, outgoing& p) {
#if OSHEN_EXCHANGE_TEAMS  // OpenSHMEM 1.5 also has signals
  if (p.mapped == nullptr) {
    const trials::stopwatch timed(plan.stats.pack_seconds);
    if (p.state == outgoing_state::pending) pack_parcel(plan, p, staging_of(plan, p));
    return shmem_putmem_signal(plan.memory(slot_at(plan, p)), staging_of(plan, p), p.bytes,
                               reinterpret_cast<std::uint64_t*>(plan.memory(p.arrived_flag)), plan.run,
                               SHMEM_SIGNAL_SET, p.pe);
  }
#endif
  send_packed(plan, p);
}

void unpack_slot(oshen_plan& plan, incoming& p) {
  unpack_parcel(plan, p, plan.memory(p.slot + parity(plan) * plan.slot_stride));
}

}  // namespace oshen::exchange
