#include "exchange/plan/plan_setup.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace oshen::exchange {

std::size_t published_bytes(const parcel& p) {
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
std::size_t published_bytes(const oshen_plan& plan, const std::vector<Parcel>& parcels) {
  if ((plan.strategy->needs & need_same_shapes) == 0) return 0;
  std::size_t bytes = 0;
  for (const auto& p : parcels) bytes += published_bytes(p);
  return bytes;
}

}  // namespace

layout compute_layout(oshen_plan& plan) {
  layout l;
  const std::size_t address = plan.n_fields * sizeof(std::uint64_t);
  l.flags = l.add(plan.n_flags() * sizeof(std::uint64_t));
  l.out_addresses = l.add(plan.sends.size() * address);
  l.in_addresses = l.add(plan.receives.size() * address);
  l.receive_boxes = l.add(published_bytes(plan, plan.receives));
  l.send_boxes = l.add(published_bytes(plan, plan.sends));
  const std::size_t in = wire_bytes(plan.receives), out = wire_bytes(plan.sends);
  plan.slot_stride = plan.strategy->slots == 2 ? in : 0;
  plan.pack_stride = plan.strategy->packs == 2 ? out : 0;
  l.slots = l.add(static_cast<std::size_t>(plan.strategy->slots) * in);
  l.packs = l.add(static_cast<std::size_t>(plan.strategy->packs) * out);
  return l;
}

namespace {

template <class Parcel>
void publish_boxes(const oshen_plan& plan, const std::vector<Parcel>& parcels, std::size_t at) {
  for (const auto& p : parcels) {
    auto* box = reinterpret_cast<oshen_box_t*>(plan.memory(at));
    auto* offset = reinterpret_cast<std::size_t*>(box + p.messages.size());
    for (const auto& m : p.messages) {
      *box = m.box;
      if (!m.offsets.empty()) box->stride[0] = list_follows;
      offset = std::ranges::copy(m.offsets, offset).out;
      box++;
    }
    at += published_bytes(p);
  }
}

}  // namespace

// Assigns private memory to each parcel that is sent, or that this PE sends to itself.
void assign_staging(oshen_plan& plan) {
  std::size_t bytes = 0;
  const auto assign = [&](parcel& p) {
    p.staging_offset = bytes;
    bytes += aligned(p.bytes);
  };
  for (auto& p : plan.sends) assign(p);
  assign(plan.own_send);
  if ((plan.strategy->needs & need_receive_staging) != 0) {
    for (auto& p : plan.receives) assign(p);
  }
  plan.staging_bytes = bytes;
}

plan_memory memory_of(oshen_group& group, const oshen_plan_attr_t& attr, const strategy& used) {
  oshen_plan plan;
  plan.group = &group;
  plan.strategy = plan.effective = &used;
  fill_plan(plan, attr);
  const layout l = compute_layout(plan);
  assign_staging(plan);
  return {l.slots, l.bytes - l.slots, plan.staging_bytes};
}

bool allocate_memory(oshen_plan& plan, layout& l) {
  l = compute_layout(plan);
  assign_staging(plan);
  plan.group->arena->reserve_staging(plan.staging_bytes);
  if (l.bytes == 0) return true;
  const std::size_t control = l.slots, bytes = plan.data.bytes != 0 ? control : l.bytes;
  const std::size_t at = plan.group->arena->allocate(bytes);
  if (at == oshen_arena::npos) return false;
  plan.block = {at, bytes};
  for (auto* offset :
       {&l.flags, &l.out_addresses, &l.in_addresses, &l.receive_boxes, &l.send_boxes, &l.slots, &l.packs})
    *offset += at;
  if (plan.data.bytes != 0) {
    l.packs = plan.data.offset + (l.packs - l.slots);
    l.slots = plan.data.offset;
  }
  plan.flags.attach(reinterpret_cast<std::uint64_t*>(plan.memory(l.flags)), plan.n_flags());
  plan.out_addresses = l.out_addresses;
  plan.in_addresses = l.in_addresses;
  std::size_t next = l.slots;
  for (auto& p : plan.receives) p.slot = std::exchange(next, next + aligned(p.bytes));
  next = l.packs;
  for (auto& p : plan.sends) p.packed = std::exchange(next, next + aligned(p.bytes));
  if ((plan.strategy->needs & need_same_shapes) != 0) {
    publish_boxes(plan, plan.receives, l.receive_boxes);
    publish_boxes(plan, plan.sends, l.send_boxes);
  }
  return true;
}

}  // namespace oshen::exchange
