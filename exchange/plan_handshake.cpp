#include "plan_handshake.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "box_copy.hpp"
#include "complaints.hpp"
#include "plan_sort.hpp"

namespace oshen::exchange {
namespace {

std::uint64_t word_at(const layout& l, std::size_t word) {
  return l.words + word * sizeof(std::uint64_t);
}

void enter_send(outgoing& p, const note& said) {
  p.slot = said.slot;
  p.slot_step = said.slot_step;
  p.arrived = said.arrived;
  p.offers = said.offers;
}

void enter_receive(incoming& p, const note& said) {
  p.packed = said.packed;
  p.packed_step = said.packed_step;
  p.ready = said.ready;
  p.invitations = said.invitations;
  reorder(p, static_cast<unsigned>(said.order));
}

// The first peer whose messages are not what this PE sends.
void name_the_mismatch(oshen_plan& plan, std::span<const note> heard) {
  for (int peer = 0; peer < static_cast<int>(heard.size()); peer++) {
    const bool own = peer == plan.group->me;
    const outgoing* p = find(plan.sends, peer);
    const std::uint64_t sent = own ? plan.own_send.bytes : p != nullptr ? p->bytes : 0;
    const std::uint64_t expected = own ? plan.own_receive.bytes : heard[static_cast<std::size_t>(peer)].expects;
    if (sent != expected) return complain_of_sizes(peer, sent, expected);
  }
}

// The other side of a message whose `far_box` says that a list follows at `at`, or this side of which has one: both
// get one. False: they have not as many elements.
bool pair_lists(const oshen_plan& plan, message& m, const oshen_box_t& far_box, std::uint64_t& at, int pe,
                offset_list& far) {
  const std::size_t n = volume(far_box);
  if (far_box.stride[0] == list_follows) {
    far.resize(n);
    shmem_getmem(far.data(), plan.memory(at), n * sizeof(std::size_t), pe);
    at += n * sizeof(std::size_t);
  } else {
    far = offsets_of(far_box);
  }
  if (m.offsets.empty()) m.offsets = offsets_of(m.box);
  return m.offsets.size() == n && m.box.element == far_box.element;
}

bool fetch_boxes(const oshen_plan& plan, parcel& p, std::uint64_t at, std::uint64_t n) {
  p.far_boxes.resize(n);
  p.far_offsets.resize(n);
  if (n != 0) shmem_getmem(p.far_boxes.data(), plan.memory(at), n * sizeof(oshen_box_t), p.pe);
  if (n != p.messages.size()) return false;
  at += n * sizeof(oshen_box_t);
  bool same = true;
  for (std::size_t i = 0; i < n; i++) {
    message& m = p.messages[i];
    const bool boxes = m.offsets.empty() && p.far_boxes[i].stride[0] != list_follows;
    same = (boxes ? same_shape(m.box, p.far_boxes[i])
                  : pair_lists(plan, m, p.far_boxes[i], at, p.pe, p.far_offsets[i])) && same;
  }
  return same;
}

}  // namespace

std::vector<note> notes(const oshen_plan& plan, const layout& l, oshen_status_t status) {
  note common{};
  common.status = static_cast<std::int32_t>(status);
  common.barrier = word_at(l, plan.barrier_word());
  std::vector<note> all(plan.group->members.size(), common);
  std::uint64_t boxes = l.wanted;
  for (const auto& p : plan.receives) {
    note& to = all[static_cast<std::size_t>(p.peer)];
    to.expects = p.bytes;
    to.slot = p.slot;
    to.slot_step = plan.slot_step;
    to.arrived = word_at(l, p.word);
    to.offers = plan.offer_of(p);
    to.n_wanted = p.messages.size();
    to.wanted_boxes = std::exchange(boxes, boxes + box_bytes(p));
  }
  boxes = l.kept;
  for (const auto& p : plan.sends) {
    note& to = all[static_cast<std::size_t>(p.peer)];
    to.packed = p.packed;
    to.packed_step = plan.pack_step;
    to.ready = word_at(l, p.word);
    to.invitations = plan.invitation_of(p);
    to.n_kept = p.messages.size();
    to.kept_boxes = std::exchange(boxes, boxes + box_bytes(p));
    to.order = p.order;
  }
  return all;
}

oshen_status_t hear(oshen_plan& plan, std::span<const note> heard) {
  std::int32_t worst = OSHEN_OK;
  std::uint64_t expected = 0, sent = 0;
  bool match = plan.own_send.bytes == plan.own_receive.bytes;
  for (std::size_t r = 0; r < heard.size(); r++) {
    worst = std::max(worst, heard[r].status);
    expected += heard[r].expects;
    plan.barrier.words_of(static_cast<int>(r), heard[r].barrier);
  }
  // The cause; a mismatch may only follow from it.
  if (worst != OSHEN_OK) return static_cast<oshen_status_t>(worst);
  for (auto& p : plan.sends) {
    const note& said = heard[static_cast<std::size_t>(p.peer)];
    enter_send(p, said);
    sent += p.bytes;
    match = match && said.expects == p.bytes;
  }
  bool ordered = true;
  for (auto& p : plan.receives) {
    const note& said = heard[static_cast<std::size_t>(p.peer)];
    ordered = ordered && (said.order == 0 || !has_list(p));
    enter_receive(p, said);
  }
  if (!match || expected != sent) {
    name_the_mismatch(plan, heard);
    return OSHEN_MISMATCH;
  }
  if (!ordered) complain("strategy %s sends boxes in the order of their memory, which receive_offsets cannot follow",
                         plan.how->name);
  return ordered ? OSHEN_OK : OSHEN_UNSUPPORTED;
}

oshen_status_t fetch_far_boxes(oshen_plan& plan, std::span<const note> heard) {
  if ((plan.how->needs & need_same_shapes) == 0) return OSHEN_OK;
  bool same = true;
  for (auto& p : plan.sends) {
    const note& said = heard[static_cast<std::size_t>(p.peer)];
    same = fetch_boxes(plan, p, said.wanted_boxes, said.n_wanted) && same;
  }
  for (auto& p : plan.receives) {
    const note& said = heard[static_cast<std::size_t>(p.peer)];
    same = fetch_boxes(plan, p, said.kept_boxes, said.n_kept) && same;
  }
  return same ? OSHEN_OK : OSHEN_UNSUPPORTED;
}

}  // namespace oshen::exchange
