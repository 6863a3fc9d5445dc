#include "exchange/plan/plan_setup.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "exchange/copy/box_copy.hpp"
#include "exchange/plan/diagnostics.hpp"
#include "exchange/plan/plan_setup.hpp"

namespace oshen::exchange {
namespace {

std::uint64_t flag_at(const layout& l, std::size_t flag) { return l.flags + flag * sizeof(std::uint64_t); }

void set_send_addresses(outgoing& p, const handshake_message& reply) {
  p.slot = reply.slot;
  p.slot_stride = reply.slot_stride;
  p.arrived_flag = reply.arrived_flag;
  p.in_addresses = reply.in_addresses;
}

void set_receive_addresses(incoming& p, const handshake_message& reply) {
  p.packed = reply.packed;
  p.packed_stride = reply.packed_stride;
  p.ready_flag = reply.ready_flag;
  p.out_addresses = reply.out_addresses;
  reorder(p, static_cast<unsigned>(reply.axis_order));
}

// Reports the first peer whose messages do not match this PE's.
void report_mismatch(oshen_plan& plan, std::span<const handshake_message> replies) {
  for (int peer = 0; peer < static_cast<int>(replies.size()); peer++) {
    const bool own = peer == plan.group->me;
    const outgoing* p = find(plan.sends, peer);
    const std::uint64_t sent = own ? plan.own_send.bytes : p != nullptr ? p->bytes : 0;
    const std::uint64_t expected =
        own ? plan.own_receive.bytes : replies[static_cast<std::size_t>(peer)].expected_bytes;
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

std::vector<handshake_message> handshake_messages(const oshen_plan& plan, const layout& l, oshen_status_t status) {
  handshake_message common{};
  common.status = static_cast<std::int32_t>(status);
  common.barrier_flags = flag_at(l, plan.barrier_flag());
  std::vector<handshake_message> all(plan.group->members.size(), common);
  std::uint64_t boxes = l.receive_boxes;
  for (const auto& p : plan.receives) {
    handshake_message& to = all[static_cast<std::size_t>(p.peer)];
    to.expected_bytes = p.bytes;
    to.slot = p.slot;
    to.slot_stride = plan.slot_stride;
    to.arrived_flag = flag_at(l, p.flag);
    to.in_addresses = plan.in_addresses_of(p);
    to.n_receive_boxes = p.messages.size();
    to.receive_boxes = std::exchange(boxes, boxes + published_bytes(p));
  }
  boxes = l.send_boxes;
  for (const auto& p : plan.sends) {
    handshake_message& to = all[static_cast<std::size_t>(p.peer)];
    to.packed = p.packed;
    to.packed_stride = plan.pack_stride;
    to.ready_flag = flag_at(l, p.flag);
    to.out_addresses = plan.out_addresses_of(p);
    to.n_send_boxes = p.messages.size();
    to.send_boxes = std::exchange(boxes, boxes + published_bytes(p));
    to.axis_order = p.axis_order;
  }
  return all;
}

oshen_status_t apply_replies(oshen_plan& plan, std::span<const handshake_message> replies) {
  std::int32_t worst = OSHEN_OK;
  std::uint64_t expected = 0, sent = 0;
  bool match = plan.own_send.bytes == plan.own_receive.bytes;
  for (std::size_t r = 0; r < replies.size(); r++) {
    worst = std::max(worst, replies[r].status);
    expected += replies[r].expected_bytes;
    plan.barrier.set_flags_of(static_cast<int>(r), replies[r].barrier_flags);
  }
  // report this status first: a mismatch may be its consequence
  if (worst != OSHEN_OK) return static_cast<oshen_status_t>(worst);
  for (auto& p : plan.sends) {
    const handshake_message& reply = replies[static_cast<std::size_t>(p.peer)];
    set_send_addresses(p, reply);
    sent += p.bytes;
    match = match && reply.expected_bytes == p.bytes;
  }
  bool ordered = true;
  for (auto& p : plan.receives) {
    const handshake_message& reply = replies[static_cast<std::size_t>(p.peer)];
    ordered = ordered && (reply.axis_order == 0 || !has_list(p));
    set_receive_addresses(p, reply);
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

oshen_status_t read_all_peer_boxes(oshen_plan& plan, std::span<const handshake_message> replies) {
  if ((plan.strategy->needs & need_same_shapes) == 0) return OSHEN_OK;
  bool same = true;
  for (auto& p : plan.sends) {
    const handshake_message& reply = replies[static_cast<std::size_t>(p.peer)];
    same = read_peer_boxes(plan, p, reply.receive_boxes, reply.n_receive_boxes) && same;
  }
  for (auto& p : plan.receives) {
    const handshake_message& reply = replies[static_cast<std::size_t>(p.peer)];
    same = read_peer_boxes(plan, p, reply.send_boxes, reply.n_send_boxes) && same;
  }
  return same ? OSHEN_OK : OSHEN_UNSUPPORTED;
}

}  // namespace oshen::exchange
