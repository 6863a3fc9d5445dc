#include "exchange/plan/plan_setup.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "exchange/copy/box_copy.hpp"
#include "exchange/plan/diagnostics.hpp"

namespace oshen::exchange {
namespace {

std::uint64_t flag_at(const layout& l, std::size_t flag) { return l.flags + flag * sizeof(std::uint64_t); }

void set_addresses(outgoing& p, const parcel_target& there) {
  p.slot = there.slot;
  p.slot_stride = there.slot_stride;
  p.arrived_flag = there.arrived_flag;
  p.in_addresses = there.in_addresses;
}

void set_addresses(incoming& p, const parcel_source& there) {
  p.packed = there.packed;
  p.packed_stride = there.packed_stride;
  p.ready_flag = there.ready_flag;
  p.out_addresses = there.out_addresses;
  reorder(p, static_cast<unsigned>(there.axis_order));
}

// Reports the first peer whose messages do not match this PE's.
void report_mismatch(oshen_plan& plan, std::span<const address_message> replies) {
  for (int peer = 0; peer < static_cast<int>(replies.size()); peer++) {
    const bool own = peer == plan.group->me;
    const outgoing* p = find(plan.sends, peer);
    const std::uint64_t sent = own ? plan.own_send.bytes : p != nullptr ? p->bytes : 0;
    const std::uint64_t expected = own ? plan.own_receive.bytes : replies[static_cast<std::size_t>(peer)].target.bytes;
    if (sent != expected) return report_sizes(peer, sent, expected);
  }
}

// The peer's side of a message of which either side has an offset list: gives lists to both sides. A list of the peer
// is read from `at`. Returns false if the numbers of elements differ.
bool pair_lists(const oshen_plan& plan, message& m, const oshen_box_t& peer_box, std::uint64_t& at, int pe,
                offset_list& peer_offsets) {
  const std::size_t n = volume(peer_box);
  if (peer_box.stride[0] == list_follows) {
    peer_offsets.resize(n);
    shmem_getmem(peer_offsets.data(), plan.memory(at), n * sizeof(std::size_t), pe);
    at += n * sizeof(std::size_t);
  } else {
    peer_offsets = offsets_of(peer_box);
  }
  if (m.offsets.empty()) m.offsets = offsets_of(m.box);
  return m.offsets.size() == n && m.box.element == peer_box.element;
}

bool read_peer_boxes(const oshen_plan& plan, parcel& p, std::uint64_t at, std::uint64_t n) {
  p.peer_boxes.resize(n);
  p.peer_offsets.resize(n);
  if (n != 0) shmem_getmem(p.peer_boxes.data(), plan.memory(at), n * sizeof(oshen_box_t), p.pe);
  if (n != p.messages.size()) return false;
  at += n * sizeof(oshen_box_t);
  bool same = true;
  for (std::size_t i = 0; i < n; i++) {
    message& m = p.messages[i];
    const bool boxes = m.offsets.empty() && p.peer_boxes[i].stride[0] != list_follows;
    same = (boxes ? same_shape(m.box, p.peer_boxes[i])
                  : pair_lists(plan, m, p.peer_boxes[i], at, p.pe, p.peer_offsets[i])) &&
           same;
  }
  return same;
}

}  // namespace

std::vector<address_message> address_messages(const oshen_plan& plan, const layout& l, oshen_status_t status) {
  address_message common{};
  common.status = status;
  common.barrier_flags = flag_at(l, plan.barrier_flag());
  std::vector<address_message> all(plan.group->members.size(), common);
  std::uint64_t boxes = l.receive_boxes;
  for (const auto& p : plan.receives) {
    all[static_cast<std::size_t>(p.peer)].target = {.bytes = p.bytes,
                                                    .slot = p.slot,
                                                    .slot_stride = plan.slot_stride,
                                                    .arrived_flag = flag_at(l, p.flag),
                                                    .in_addresses = plan.in_addresses_of(p),
                                                    .boxes = std::exchange(boxes, boxes + published_bytes(p)),
                                                    .n_boxes = p.messages.size()};
  }
  boxes = l.send_boxes;
  for (const auto& p : plan.sends) {
    all[static_cast<std::size_t>(p.peer)].source = {.packed = p.packed,
                                                    .packed_stride = plan.pack_stride,
                                                    .ready_flag = flag_at(l, p.flag),
                                                    .out_addresses = plan.out_addresses_of(p),
                                                    .boxes = std::exchange(boxes, boxes + published_bytes(p)),
                                                    .n_boxes = p.messages.size(),
                                                    .axis_order = p.axis_order};
  }
  return all;
}

oshen_status_t apply_replies(oshen_plan& plan, std::span<const address_message> replies) {
  oshen_status_t worst = OSHEN_OK;
  std::uint64_t expected = 0, sent = 0;
  bool match = plan.own_send.bytes == plan.own_receive.bytes;
  for (std::size_t r = 0; r < replies.size(); r++) {
    worst = std::max(worst, replies[r].status);
    expected += replies[r].target.bytes;
    plan.barrier.set_flags_of(static_cast<int>(r), replies[r].barrier_flags);
  }
  // report this status first: a mismatch may be its consequence
  if (worst != OSHEN_OK) return worst;
  for (auto& p : plan.sends) {
    const parcel_target& there = replies[static_cast<std::size_t>(p.peer)].target;
    set_addresses(p, there);
    sent += p.bytes;
    match = match && there.bytes == p.bytes;
  }
  bool ordered = true;
  for (auto& p : plan.receives) {
    const parcel_source& there = replies[static_cast<std::size_t>(p.peer)].source;
    ordered = ordered && (there.axis_order == 0 || !has_list(p));
    set_addresses(p, there);
  }
  if (!match || expected != sent) {
    report_mismatch(plan, replies);
    return OSHEN_MISMATCH;
  }
  if (!ordered)
    report_error(
        "strategy = \"%s\" sends boxes in memory order, but a receiver has receive_offsets: use another strategy",
        plan.strategy->name);
  return ordered ? OSHEN_OK : OSHEN_UNSUPPORTED;
}

oshen_status_t read_all_peer_boxes(oshen_plan& plan, std::span<const address_message> replies) {
  if ((plan.strategy->needs & need_same_shapes) == 0) return OSHEN_OK;
  bool same = true;
  for (auto& p : plan.sends) {
    const parcel_target& there = replies[static_cast<std::size_t>(p.peer)].target;
    same = read_peer_boxes(plan, p, there.boxes, there.n_boxes) && same;
  }
  for (auto& p : plan.receives) {
    const parcel_source& there = replies[static_cast<std::size_t>(p.peer)].source;
    same = read_peer_boxes(plan, p, there.boxes, there.n_boxes) && same;
  }
  return same ? OSHEN_OK : OSHEN_UNSUPPORTED;
}

}  // namespace oshen::exchange
