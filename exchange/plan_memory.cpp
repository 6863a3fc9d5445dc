#include "plan_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace oshen::exchange {

std::size_t box_bytes(const parcel& p) {
  std::size_t bytes = p.messages.size() * sizeof(oshen_box_t);
  for (const auto& m : p.messages) bytes += m.offsets.size() * sizeof(std::size_t);
  return bytes;
}

namespace {

template <class Parcel>
std::size_t wire_bytes(const std::vector<Parcel>& parcels) {
  std::size_t all = 0;
  for (const auto& p : parcels) all += aligned(p.bytes);
  return all;
}

template <class Parcel>
std::size_t box_bytes(const oshen_plan& plan, const std::vector<Parcel>& parcels) {
  if ((plan.how->needs & need_same_shapes) == 0) return 0;
  std::size_t bytes = 0;
  for (const auto& p : parcels) bytes += box_bytes(p);
  return bytes;
}

}  // namespace

layout lay_out(oshen_plan& plan) {
  layout l;
  const std::size_t address = plan.n_fields * sizeof(std::uint64_t);
  l.words = l.add(plan.n_words() * sizeof(std::uint64_t));
  l.invitations = l.add(plan.sends.size() * address);
  l.offers = l.add(plan.receives.size() * address);
  l.wanted = l.add(box_bytes(plan, plan.receives));
  l.kept = l.add(box_bytes(plan, plan.sends));
  const std::size_t in = wire_bytes(plan.receives), out = wire_bytes(plan.sends);
  plan.slot_step = plan.how->slots == 2 ? in : 0;
  plan.pack_step = plan.how->packs == 2 ? out : 0;
  l.slots = l.add(static_cast<std::size_t>(plan.how->slots) * in);
  l.packs = l.add(static_cast<std::size_t>(plan.how->packs) * out);
  return l;
}

namespace {

template <class Parcel>
void write_boxes(const oshen_plan& plan, const std::vector<Parcel>& parcels, std::size_t at) {
  for (const auto& p : parcels) {
    auto* box = reinterpret_cast<oshen_box_t*>(plan.memory(at));
    auto* offset = reinterpret_cast<std::size_t*>(box + p.messages.size());
    for (const auto& m : p.messages) {
      *box = m.box;
      if (!m.offsets.empty()) box->stride[0] = list_follows;
      offset = std::ranges::copy(m.offsets, offset).out;
      box++;
    }
    at += box_bytes(p);
  }
}

}  // namespace

// Private memory: a place for each parcel that is sent or kept.
void lay_out_staging(oshen_plan& plan) {
  std::size_t bytes = 0;
  const auto place = [&](parcel& p) {
    p.staged = bytes;
    bytes += aligned(p.bytes);
  };
  for (auto& p : plan.sends) place(p);
  place(plan.own_send);
  if ((plan.how->needs & need_receive_staging) != 0) {
    for (auto& p : plan.receives) place(p);
  }
  plan.staging_bytes = bytes;
}

bool find_memory(oshen_plan& plan, layout& l) {
  l = lay_out(plan);
  lay_out_staging(plan);
  plan.group->arena->provide(plan.staging_bytes);
  if (l.bytes == 0) return true;
  const std::size_t at = plan.group->arena->take(l.bytes);
  if (at == oshen_arena::nowhere) return false;
  plan.block = {at, l.bytes};
  for (auto* offset : {&l.words, &l.invitations, &l.offers, &l.wanted, &l.kept, &l.slots, &l.packs})
    *offset += at;
  plan.watch.lie_at(reinterpret_cast<std::uint64_t*>(plan.memory(l.words)), plan.n_words());
  plan.invitations = l.invitations;
  plan.offers = l.offers;
  std::size_t next = l.slots;
  for (auto& p : plan.receives) p.slot = std::exchange(next, next + aligned(p.bytes));
  next = l.packs;
  for (auto& p : plan.sends) p.packed = std::exchange(next, next + aligned(p.bytes));
  if ((plan.how->needs & need_same_shapes) != 0) {
    write_boxes(plan, plan.receives, l.wanted);
    write_boxes(plan, plan.sends, l.kept);
  }
  return true;
}

}  // namespace oshen::exchange
