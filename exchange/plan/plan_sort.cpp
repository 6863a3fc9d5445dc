#include "exchange/plan/plan_setup.hpp"

#include <algorithm>
#include <utility>

#include "exchange/copy/box_copy.hpp"

namespace oshen::exchange {
namespace {

using offset_lists = const std::size_t* const*;  // one for each message, or null

// Empty if the elements lie in a box.
offset_list offsets_in(offset_lists lists, std::size_t number, const oshen_box_t& box) {
  if (lists == nullptr || lists[number] == nullptr) return {};
  offset_list offsets(lists[number], lists[number] + volume(box));
  for (std::size_t& offset : offsets) offset += box.offset;
  return offsets;
}

// Makes one parcel for each peer that has bytes, starting with the peer `step` away, so that not all PEs write to the
// same peer at the same time. Messages to this PE itself go to `own`.
template <class Parcel>
std::vector<Parcel> parcels(message_list messages, offset_lists lists, const oshen_plan& plan, int step, Parcel& own) {
  const oshen_group& group = *plan.group;
  const int n = group.size();
  std::vector<Parcel> by_peer(static_cast<std::size_t>(n));
  int number = 0;
  for (const auto& m : messages) {
    auto& p = by_peer[static_cast<std::size_t>(m.peer)];
    if (m.bytes != 0)
      p.messages.push_back({number, p.bytes, m.box, offsets_in(lists, static_cast<std::size_t>(number), m.box)});
    p.bytes += m.bytes;
    number++;
  }
  std::vector<Parcel> rotated;
  for (int i = 1; i <= n; i++) {
    const int peer = (group.me + i * step + n) % n;
    auto& p = by_peer[static_cast<std::size_t>(peer)];
    p.peer = peer;
    p.pe = group.at(peer).pe;
    p.mapped = group.at(peer).mapped;
    p.bytes *= plan.n_fields;
    if (peer == group.me)
      own = std::move(p);
    else if (p.bytes != 0)
      rotated.push_back(std::move(p));
  }
  return rotated;
}

byte_range touched(const message& m) {
  if (!m.offsets.empty()) {
    const auto [low, high] = std::ranges::minmax(m.offsets);
    return {low, high + m.box.element};
  }
  std::size_t last = m.box.offset + m.box.element;
  for (int a = 0; a < 3; a++) last += (m.box.extent[a] - 1) * m.box.stride[a];
  return {m.box.offset, last};
}

template <class Parcel>
byte_range touched(const std::vector<Parcel>& parcels, const Parcel& own) {
  byte_range all{~std::size_t{0}, 0};
  const auto add = [&](const Parcel& p) {
    for (const auto& m : p.messages) {
      const byte_range range = touched(m);
      all = {std::min(all.low, range.low), std::max(all.high, range.high)};
    }
  };
  std::ranges::for_each(parcels, add);
  add(own);
  return all.high == 0 ? byte_range{} : all;
}

bool same_shapes(const parcel& a, const std::vector<oshen_box_t>& b) {
  return std::equal(a.messages.begin(), a.messages.end(), b.begin(), b.end(),
                    [](const message& m, const oshen_box_t& box) { return same_shape(m.box, box); });
}

void number_flags(oshen_plan& plan) {
  for (std::size_t i = 0; i < plan.receives.size(); i++) {
    plan.receives[i].flag = i;
    plan.receives[i].mutual = find(plan.sends, plan.receives[i].peer) != nullptr;
  }
  for (std::size_t i = 0; i < plan.sends.size(); i++) {
    plan.sends[i].flag = plan.send_flag(i);
    plan.sends[i].mutual = find(plan.receives, plan.sends[i].peer) != nullptr;
  }
  plan.barrier.init(*plan.group, plan.barrier_flag());
  plan.late.assign(plan.n_flags(), {});
}

}  // namespace

void reorder(parcel& p, unsigned order) {
  for (auto& m : p.messages) m.box = reordered(m.box, order);
}

void sort_messages(oshen_plan& plan, const oshen_plan_attr_t& attr) {
  plan.sends = parcels(sends_of(attr), attr.send_offsets, plan, +1, plan.own_send);
  plan.receives = parcels(receives_of(attr), attr.receive_offsets, plan, -1, plan.own_receive);
  plan.in_range = touched(plan.sends, plan.own_send);
  plan.out_range = touched(plan.receives, plan.own_receive);
  number_flags(plan);
  std::vector<oshen_box_t> own;
  for (const auto& m : plan.own_receive.messages) own.push_back(m.box);
  const bool boxes = plan.pack == nullptr && !has_list(plan.own_send) && !has_list(plan.own_receive);
  if (boxes && same_shapes(plan.own_send, own)) plan.own_send.peer_boxes = own;
  plan.transposes = plan.sends.empty() && plan.receives.empty() && own.size() == 1 &&
                    plan.own_send.peer_boxes.size() == 1 &&
                    plan.own_transpose.init(plan.own_send.messages[0].box, own[0]);
  if (!plan.strategy->sender_order) return;
  for (auto& p : plan.sends) {
    if (has_list(p)) continue;
    p.axis_order = memory_order(p.messages.front().box);
    reorder(p, p.axis_order);
  }
}

}  // namespace oshen::exchange
