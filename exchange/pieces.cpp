#include "pieces.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "box_copy.hpp"

namespace oshen::exchange {
namespace {

std::size_t slot_at(const oshen_plan& plan, const outgoing& p) {
  return p.slot + parity(plan) * p.slot_step;
}

// To wire memory, from wherever it is.
void fill(oshen_plan& plan, const outgoing& p, std::byte* wire) {
  if (p.state == outgoing_state::staged) {
    std::memcpy(wire, staged(plan, p), p.bytes);
  } else {
    pack_parcel(plan, p, wire);
  }
}

// What is kept, where `out` is apart from `in`.
void keep(const outgoing& own, const std::byte* in, std::byte* out) {
  for (std::size_t i = 0; i < own.messages.size(); i++)
    transfer(own.messages[i].box, in, own.far_boxes[i], out);
}

bool transposes_in_place(const oshen_plan& plan) {
  return plan.transposes && plan.aliased && std::ranges::equal(plan.in, plan.out);
}

void put_runs(const oshen_plan& plan, const outgoing& p, std::byte* slot, put how) {
  for (std::size_t f = 0; f < plan.n_fields; f++) {
    for (const auto& m : p.messages) {
      const std::byte* from = plan.in[f] + m.box.offset;
      std::byte* to = slot + f * field_bytes(plan, p) + m.offset;
      for_each_run(plan_barrier_walk(m.box), [&](std::size_t near, std::size_t far, std::size_t n) {
        if (how == put::nbi) {
          shmem_putmem_nbi(to + far, from + near, n, p.pe);
        } else {
          shmem_putmem(to + far, from + near, n, p.pe);
        }
      });
    }
  }
}

}  // namespace

void pack_parcel(const oshen_plan& plan, const parcel& p, std::byte* wire) {
  for (std::size_t f = 0; f < plan.n_fields; f++, wire += field_bytes(plan, p)) {
    for (const auto& m : p.messages) {
      if (plan.pack != nullptr) {
        plan.pack(plan.context, m.number, plan.in[f], wire + m.offset);
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
      } else {
        scatter(m.box, wire + m.offset, plan.out[f]);
      }
    }
  }
}

void left_in(oshen_plan& plan, outgoing& p, outgoing_state now) {
  if (p.state == outgoing_state::pending) plan.pending--;
  p.state = now;
}

void stage(oshen_plan& plan, outgoing& p) {
  if (p.state != outgoing_state::pending) return;
  const stopwatch timed(plan.stats.pack_seconds);
  pack_parcel(plan, p, staged(plan, p));
  left_in(plan, p, outgoing_state::staged);
}

void secure(oshen_plan& plan) {
  if (!plan.aliased) return;
  hold_own(plan);
  for (auto& p : plan.sends) stage(plan, p);
}

void hold_own(oshen_plan& plan) {
  outgoing& p = plan.own_send;
  if (p.state != outgoing_state::pending) return;
  const bool in_place = transposes_in_place(plan);
  if (!in_place && (plan.aliased || p.far_boxes.empty())) return stage(plan, p);
  const stopwatch timed(plan.stats.pack_seconds);
  for (std::size_t f = 0; f < plan.n_fields; f++) {
    if (in_place) {
      plan.own_transpose.run(plan.out[f], staged(plan, p));
    } else {
      keep(p, plan.in[f], plan.out[f]);
    }
  }
  left_in(plan, p, outgoing_state::sent);
  plan.own_receive.here = true;
}

bool settle_own(oshen_plan& plan) {
  outgoing& p = plan.own_send;
  if (p.state != outgoing_state::staged || (plan.aliased && plan.pending != 0)) return false;
  const stopwatch timed(plan.stats.unpack_seconds);
  unpack_parcel(plan, plan.own_receive, staged(plan, p));
  p.state = outgoing_state::sent;
  plan.own_receive.here = true;
  return true;
}

void is_sent(oshen_plan& plan, outgoing& p) {
  left_in(plan, p, outgoing_state::sent);
  plan.unsent--;
}

void is_here(oshen_plan& plan, incoming& p) {
  p.here = true;
  plan.expected--;
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
  is_sent(plan, p);
}

void deliver_rows(oshen_plan& plan, outgoing& p, put how) {
  const stopwatch timed(plan.stats.pack_seconds);
  std::byte* slot = plan.memory(slot_at(plan, p));
  if (p.state == outgoing_state::staged) {
    shmem_putmem(slot, staged(plan, p), p.bytes, p.pe);
  } else {
    put_runs(plan, p, slot, how);
  }
  is_sent(plan, p);
}

void announce(const oshen_plan& plan, const outgoing& p) {
  raise(*plan.group->arena, p.arrived, plan.run, p.pe);
}

void send(oshen_plan& plan, outgoing& p) {
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

void deliver_with_signal(oshen_plan& plan, outgoing& p) {
#if OSHEN_EXCHANGE_TEAMS  // 1.5 has signals as well
  if (p.direct == nullptr) {
    const stopwatch timed(plan.stats.pack_seconds);
    if (p.state == outgoing_state::pending) pack_parcel(plan, p, staged(plan, p));
    shmem_putmem_signal(plan.memory(slot_at(plan, p)), staged(plan, p), p.bytes,
                        reinterpret_cast<std::uint64_t*>(plan.memory(p.arrived)), plan.run,
                        SHMEM_SIGNAL_SET, p.pe);
    return is_sent(plan, p);
  }
#endif
  send(plan, p);
}

void want_arrivals(oshen_plan& plan) {
  for (const auto& p : plan.receives) plan.watch.want(p.word, plan.run);
}

const std::byte* slot_of(const oshen_plan& plan, const incoming& p) {
  return plan.memory(p.slot + parity(plan) * plan.slot_step);
}

bool take_arrivals(oshen_plan& plan, void (*use)(oshen_plan&, incoming&)) {
  bool moved = false;
  for (auto& p : plan.receives) {
    if (p.here || !plan.watch.take(p.word)) continue;
    use(plan, p);
    moved = true;
  }
  return moved;
}

void unpack_slot(oshen_plan& plan, incoming& p) {
  secure(plan);
  const stopwatch timed(plan.stats.unpack_seconds);
  unpack_parcel(plan, p, slot_of(plan, p));
  is_here(plan, p);
}

void tell_sender(const oshen_plan& plan, const incoming& p) {
  raise(*plan.group->arena, p.ready, plan.run, p.pe);
}

void want_ready(oshen_plan& plan, std::uint64_t run) {
  for (const auto& p : plan.sends) plan.watch.want(p.word, run);
}

bool send_ready(oshen_plan& plan, void (*how)(oshen_plan&, outgoing&)) {
  bool moved = false;
  for (auto& p : plan.sends) {
    if (p.state == outgoing_state::sent || !plan.watch.take(p.word)) continue;
    how(plan, p);
    moved = true;
  }
  return moved;
}

void unpack_and_free(oshen_plan& plan, incoming& p) {
  unpack_slot(plan, p);
  tell_sender(plan, p);
  // As in the paper, 4.3: some libraries hold back small puts until somebody insists.
  if (plan.expected == 0) shmem_quiet();
}

void greet(oshen_plan& plan) {
  for (const auto& p : plan.receives) {
    if (!p.mutual) tell_sender(plan, p);
  }
  for (const auto& p : plan.sends) {
    if (p.mutual) continue;
    plan.watch.want(p.word, plan.run);
    plan.ungreeted++;
  }
}

bool take_greetings(oshen_plan& plan) {
  bool moved = false;
  for (const auto& p : plan.sends) {
    if (p.mutual || !plan.watch.take(p.word)) continue;
    plan.ungreeted--;
    moved = true;
  }
  return moved;
}

bool greeted(const oshen_plan& plan) {
  return plan.ungreeted == 0;
}

bool unpack_then_gather(oshen_plan& plan) {
  const bool moved = take_arrivals(plan, unpack_slot);
  if (plan.expected == 0 && !plan.barrier.entered()) {
    plan.barrier.enter(plan.watch, plan.run);
    return true;
  }
  return plan.barrier.advance(plan.watch) || moved;
}

bool gathered(const oshen_plan& plan) {
  return plan.barrier.passed();
}

double stopwatch::now() {
  using clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

}  // namespace oshen::exchange
