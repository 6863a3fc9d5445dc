#include "parcels.hpp"

#include <cstring>

#include "box_copy.hpp"
#include "list_copy.hpp"
#include "stopwatch.hpp"

namespace oshen::exchange {
namespace {

std::size_t slot_at(const oshen_plan& plan, const outgoing& p) {
  return p.slot + parity(plan) * p.slot_step;
}

// To wire memory, from wherever it is.
void fill(const oshen_plan& plan, const outgoing& p, std::byte* wire) {
  if (p.state == outgoing_state::staged) {
    std::memcpy(wire, staged(plan, p), p.bytes);
  } else {
    pack_parcel(plan, p, wire);
  }
}

enum class put { blocking, nbi };

void put_message(const message& m, const std::byte* from, std::byte* to, int pe, put how) {
  const auto put_run = [&](std::size_t near, std::size_t far, std::size_t n) {
    if (how == put::nbi) {
      shmem_putmem_nbi(to + far, from + near, n, pe);
    } else {
      shmem_putmem(to + far, from + near, n, pe);
    }
  };
  const std::size_t element = m.box.element;
  if (m.offsets.empty()) {
    from += m.box.offset;
    for_each_run(gather_walk(m.box), put_run);
  } else {
    for_each_stretch(m.offsets.size(), element, [&](std::size_t i) { return m.offsets[i]; },
                     [&](std::size_t i) { return i * element; }, put_run);
  }
}

void put_runs(const oshen_plan& plan, const outgoing& p, std::byte* slot, put how) {
  for (std::size_t f = 0; f < plan.n_fields; f++) {
    for (const auto& m : p.messages)
      put_message(m, plan.in[f], slot + f * field_bytes(plan, p) + m.offset, p.pe, how);
  }
}

void deliver_rows(oshen_plan& plan, const outgoing& p, put how) {
  const stopwatch timed(plan.stats.pack_seconds);
  std::byte* slot = plan.memory(slot_at(plan, p));
  if (p.state == outgoing_state::staged) {
    shmem_putmem(slot, staged(plan, p), p.bytes, p.pe);
  } else {
    put_runs(plan, p, slot, how);
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

void announce(const oshen_plan& plan, const outgoing& p) {
  raise(*plan.group->arena, p.arrived, plan.run, p.pe);
}

void tell_sender(const oshen_plan& plan, const incoming& p) {
  raise(*plan.group->arena, p.ready, plan.run, p.pe);
}

void deliver(oshen_plan& plan, outgoing& p) {
  const stopwatch timed(plan.stats.pack_seconds);
  if (p.direct != nullptr) {
    fill(plan, p, p.direct + slot_at(plan, p));
    plan.stats.bytes_direct += p.bytes;
  } else {
    if (p.state == outgoing_state::pending) pack_parcel(plan, p, staged(plan, p));
    shmem_putmem_nbi(plan.memory(slot_at(plan, p)), staged(plan, p), p.bytes, p.pe);
  }
}

void deliver_rows_nbi(oshen_plan& plan, outgoing& p) {
  deliver_rows(plan, p, put::nbi);
}

void send_packed(oshen_plan& plan, outgoing& p) {
  deliver(plan, p);
  // Staging memory is used again in the next run: the put must be over, not only in order.
  if (p.direct == nullptr) {
    shmem_quiet();
  } else {
    shmem_fence();
  }
  announce(plan, p);
}

void send_rows(oshen_plan& plan, outgoing& p) {
  deliver_rows(plan, p, put::blocking);
  shmem_fence();
  announce(plan, p);
}

void send_with_signal(oshen_plan& plan, outgoing& p) {
#if OSHEN_EXCHANGE_TEAMS  // 1.5 has signals as well
  if (p.direct == nullptr) {
    const stopwatch timed(plan.stats.pack_seconds);
    if (p.state == outgoing_state::pending) pack_parcel(plan, p, staged(plan, p));
    return shmem_putmem_signal(plan.memory(slot_at(plan, p)), staged(plan, p), p.bytes,
                               reinterpret_cast<std::uint64_t*>(plan.memory(p.arrived)), plan.run,
                               SHMEM_SIGNAL_SET, p.pe);
  }
#endif
  send_packed(plan, p);
}

void unpack_slot(oshen_plan& plan, incoming& p) {
  unpack_parcel(plan, p, plan.memory(p.slot + parity(plan) * plan.slot_step));
}

}  // namespace oshen::exchange
