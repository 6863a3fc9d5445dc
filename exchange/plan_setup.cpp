// Making a plan: sort the messages, find memory, and learn where the others want theirs.
#include "plan_setup.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "box_copy.hpp"
#include "complaints.hpp"
#include "plan.hpp"

namespace oshen::exchange {
namespace {

using list = std::span<const oshen_message_t>;

list sends_of(const oshen_plan_attr_t& a) {
  return {a.sends, static_cast<std::size_t>(a.n_sends)};
}
list receives_of(const oshen_plan_attr_t& a) {
  return {a.receives, static_cast<std::size_t>(a.n_receives)};
}

using offset_lists = const std::size_t* const*;  // one for each message, or null

// Empty where the box says it.
offset_list offsets_in(offset_lists lists, std::size_t number, const oshen_box_t& box) {
  if (lists == nullptr || lists[number] == nullptr) return {};
  offset_list offsets(lists[number], lists[number] + volume(box));
  for (std::size_t& offset : offsets) offset += box.offset;
  return offsets;
}

bool valid(list messages, const char* name, int n_members, bool boxes) {
  for (std::size_t i = 0; i < messages.size(); i++) {
    const oshen_message_t& m = messages[i];
    if (m.peer >= 0 && m.peer < n_members && (!boxes || m.bytes == m.box.element * volume(m.box))) continue;
    complain_of(m, name, i, n_members, boxes);
    return false;
  }
  return true;
}

// ---- sorting

// One parcel per peer that has bytes, beginning with the peer `step` away, so that not all PEs
// write to the same one at the same time. What stays here goes to `own`.
template <class Parcel>
std::vector<Parcel> parcels(list messages, offset_lists lists, const oshen_plan& plan, int step, Parcel& own) {
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
    p.direct = group.at(peer).direct;
    p.bytes *= plan.n_fields;
    if (peer == group.me)
      own = std::move(p);
    else if (p.bytes != 0)
      rotated.push_back(std::move(p));
  }
  return rotated;
}

template <class Parcel>
Parcel* find(std::vector<Parcel>& parcels, int peer) {
  for (auto& p : parcels) {
    if (p.peer == peer) return &p;
  }
  return nullptr;
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
  return std::equal(
      a.messages.begin(), a.messages.end(), b.begin(), b.end(),
      [](const message& m, const oshen_box_t& box) { return same_shape(m.box, box); });
}

void reorder(parcel& p, unsigned order) {
  for (auto& m : p.messages) m.box = reordered(m.box, order);
}

void number_words(oshen_plan& plan) {
  for (std::size_t i = 0; i < plan.receives.size(); i++) {
    plan.receives[i].word = i;
    plan.receives[i].mutual = find(plan.sends, plan.receives[i].peer) != nullptr;
  }
  for (std::size_t i = 0; i < plan.sends.size(); i++) {
    plan.sends[i].word = plan.send_word(i);
    plan.sends[i].mutual = find(plan.receives, plan.sends[i].peer) != nullptr;
  }
  plan.barrier.form(*plan.group, plan.barrier_word());
  plan.late.assign(plan.n_words(), {});
}

void sort(oshen_plan& plan, const oshen_plan_attr_t& attr) {
  plan.sends = parcels(sends_of(attr), attr.send_offsets, plan, +1, plan.own_send);
  plan.receives = parcels(receives_of(attr), attr.receive_offsets, plan, -1, plan.own_receive);
  plan.in_range = touched(plan.sends, plan.own_send);
  plan.out_range = touched(plan.receives, plan.own_receive);
  number_words(plan);
  std::vector<oshen_box_t> own;
  for (const auto& m : plan.own_receive.messages) own.push_back(m.box);
  const bool boxes = plan.pack == nullptr && !has_list(plan.own_send) && !has_list(plan.own_receive);
  if (boxes && same_shapes(plan.own_send, own)) plan.own_send.far_boxes = own;
  plan.transposes = plan.sends.empty() && plan.receives.empty() && own.size() == 1 &&
               plan.own_send.far_boxes.size() == 1 &&
               plan.own_transpose.form(plan.own_send.messages[0].box, own[0]);
  if (!plan.how->order_of_sender) return;
  for (auto& p : plan.sends) {
    if (has_list(p)) continue;
    p.order = memory_order(p.messages.front().box);
    reorder(p, p.order);
  }
}

// ---- memory

// What the block in the arena holds, as offsets in it.
struct layout {
  std::size_t words = 0, invitations = 0, offers = 0, wanted = 0, kept = 0, slots = 0, packs = 0;
  std::size_t bytes = 0;

  std::size_t add(std::size_t n) {
    const std::size_t at = bytes;
    bytes += aligned(n);
    return at;
  }
};

template <class Parcel>
std::size_t wire_bytes(const std::vector<Parcel>& parcels) {
  std::size_t all = 0;
  for (const auto& p : parcels) all += aligned(p.bytes);
  return all;
}

// What a peer may read of a parcel: its boxes, then the lists of those that have one, which the box says by its stride.
constexpr std::size_t list_follows = ~std::size_t{0};

std::size_t box_bytes(const parcel& p) {
  std::size_t bytes = p.messages.size() * sizeof(oshen_box_t);
  for (const auto& m : p.messages) bytes += m.offsets.size() * sizeof(std::size_t);
  return bytes;
}

template <class Parcel>
std::size_t box_bytes(const oshen_plan& plan, const std::vector<Parcel>& parcels) {
  if ((plan.how->needs & need_same_shapes) == 0) return 0;
  std::size_t bytes = 0;
  for (const auto& p : parcels) bytes += box_bytes(p);
  return bytes;
}

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
  plan.group->arena->provide(bytes);
}

bool find_memory(oshen_plan& plan, layout& l) {
  l = lay_out(plan);
  lay_out_staging(plan);
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

// ---- handshake

std::uint64_t word_at(const layout& l, std::size_t word) {
  return l.words + word * sizeof(std::uint64_t);
}

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

// Enters what the others said; the worst that has been seen.
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

// For those who write to or read from the peers' buffers: where messages lie there.
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

// ---- all together

bool has_what_it_needs(const oshen_plan_attr_t& attr, const strategy& how) {
  const auto lacks = [&](unsigned need, bool has) { return (how.needs & need) != 0 && !has; };
  return !lacks(need_boxes, attr.pack == nullptr) &&
         !lacks(need_in_symmetric, (attr.buffers & OSHEN_IN_SYMMETRIC) != 0) &&
         !lacks(need_out_symmetric, (attr.buffers & OSHEN_OUT_SYMMETRIC) != 0) &&
         !lacks(need_apart, (attr.buffers & OSHEN_BUFFERS_APART) != 0);
}

void name_what_is_needed(const oshen_plan_attr_t& attr, const strategy& how) {
  const auto lacks = [&](unsigned need, unsigned promise) {
    return (how.needs & need) != 0 && (attr.buffers & promise) == 0;
  };
  if ((how.needs & need_boxes) != 0 && attr.pack != nullptr)
    complain("strategy = \"%s\" needs messages with boxes, not callbacks", how.name);
  else if (lacks(need_out_symmetric, OSHEN_OUT_SYMMETRIC))
    complain_of_promise(how.name, "OSHEN_OUT_SYMMETRIC", "outputs of all runs lie in the arena or the symmetric heap");
  else if (lacks(need_in_symmetric, OSHEN_IN_SYMMETRIC))
    complain_of_promise(how.name, "OSHEN_IN_SYMMETRIC", "inputs of all runs lie in the arena or the symmetric heap");
  else if (lacks(need_apart, OSHEN_BUFFERS_APART))
    complain_of_promise(how.name, "OSHEN_BUFFERS_APART", "the input and output of a run never overlap");
}

// Local part: everything but where the others are.
oshen_status_t prepare(oshen_plan& plan, const oshen_plan_attr_t& attr, layout& l) {
  plan.pack = attr.pack;
  plan.unpack = attr.unpack;
  plan.context = attr.context;
  plan.n_fields = attr.n_fields == 0 ? 1 : static_cast<std::size_t>(attr.n_fields);
  plan.in_step = attr.in_field_stride;
  plan.out_step = attr.out_field_stride;
  plan.buffers = attr.buffers;
  plan.stats.latest_peer = -1;
  try {
    plan.in.assign(plan.n_fields, nullptr);
    plan.out.assign(plan.n_fields, nullptr);
    sort(plan, attr);
    if (find_memory(plan, l)) return OSHEN_OK;
    if (!wants_auto(attr))
      complain("the arena has no %zu bytes in one piece left, which strategy %s needs here", l.bytes, plan.how->name);
    return OSHEN_NO_SPACE;
  } catch (const std::bad_alloc&) {
    complain("this process has no %zu bytes of ordinary memory, in which messages are packed", plan.staging_bytes);
    return OSHEN_NO_SPACE;
  }
}

}  // namespace

bool wants_auto(const oshen_plan_attr_t& attr) {
  return attr.strategy != nullptr && std::strcmp(attr.strategy, auto_name) == 0;
}

oshen_status_t examined(const oshen_group& group, const oshen_plan_attr_t& a) {
  if (a.size != sizeof a || a.n_sends < 0 || a.n_receives < 0) return OSHEN_INVALID;
  if ((a.n_sends > 0 && a.sends == nullptr) || (a.n_receives > 0 && a.receives == nullptr))
    return OSHEN_INVALID;
  if ((a.pack == nullptr) != (a.unpack == nullptr)) return OSHEN_INVALID;
  if (a.n_fields < 0 || a.n_fields > static_cast<int>(max_fields)) return OSHEN_INVALID;
  if (!wants_auto(a) && find_strategy(a.strategy) == nullptr) {
    complain("strategy = \"%s\": there is none of this name; oshen_strategy_at lists them, \"auto\" measures",
             a.strategy);
    return OSHEN_INVALID;
  }
  const bool boxes = a.pack == nullptr;
  if (!boxes && (a.send_offsets != nullptr || a.receive_offsets != nullptr)) {
    complain("send_offsets and receive_offsets are for messages with boxes: expected NULL beside pack and unpack");
    return OSHEN_INVALID;
  }
  return valid(sends_of(a), "sends", group.size(), boxes) && valid(receives_of(a), "receives", group.size(), boxes)
             ? OSHEN_OK
             : OSHEN_INVALID;
}

oshen_status_t make(oshen_group& group, const oshen_plan_attr_t& attr, const strategy& how,
                    std::unique_ptr<oshen_plan>& plan) {
  if (!has_what_it_needs(attr, how)) {  // the same everywhere
    if (group.me == 0 && !wants_auto(attr)) name_what_is_needed(attr, how);
    return OSHEN_UNSUPPORTED;
  }
  auto made = std::make_unique<oshen_plan>();
  made->group = &group;
  made->how = made->way = &how;
  layout l;
  oshen_status_t status = prepare(*made, attr, l);
  if (status != OSHEN_OK) made->sends.clear(), made->receives.clear();
  const auto heard = group.handshake(notes(*made, l, status));
  status = hear(*made, heard);
  if (status == OSHEN_OK) status = fetch_far_boxes(*made, heard);
  if (how.open != nullptr) {  // collective: only if all of them call it
    status = group.agree(status);
    if (status == OSHEN_OK) status = how.open(*made);
  }
  const oshen_status_t all = group.agree(status);
  if (all == OSHEN_OK) {
    plan = std::move(made);
    return OSHEN_OK;
  }
  if (status == OSHEN_OK && how.close != nullptr) how.close(*made);
  unmake(std::move(made));
  return all;
}

void unmake(std::unique_ptr<oshen_plan> plan) {
  if (plan->block.bytes != 0) plan->group->arena->give_back(plan->block.offset, plan->block.bytes);
}

namespace {

// Learns whether all PEs want the same sort of plan; deferred memory is freed as well.
oshen_status_t open_handshake(oshen_group& group, const oshen_plan_attr_t& attr) {
  note saying{};
  saying.status = static_cast<std::int32_t>(examined(group, attr));
  saying.busy = group.busy;
  if (saying.status == OSHEN_OK) {
    const int row = wants_auto(attr) ? -1 : strategy_index(*find_strategy(attr.strategy));
    const int fields = attr.n_fields == 0 ? 1 : attr.n_fields;
    saying.shape = ((row + 1) * 64 + fields) * 16 + static_cast<std::int32_t>(attr.buffers & 7) +
                   (attr.pack != nullptr ? 8 : 0);
  }
  std::int32_t worst = saying.status;
  bool idle = true, same = true;
  for (const note& said : group.handshake(saying)) {
    worst = std::max(worst, said.status);
    idle = idle && said.busy == 0;
    same = same && said.shape == saying.shape;
  }
  if (idle) group.free_deferred();
  if (worst != OSHEN_OK) return static_cast<oshen_status_t>(worst);
  return same ? OSHEN_OK : OSHEN_MISMATCH;
}

}  // namespace
}  // namespace oshen::exchange

oshen_status_t oshen_plan_create(oshen_group_t* group, const oshen_plan_attr_t* attr,
                                 oshen_plan_t** plan) {
  using namespace oshen::exchange;
  *plan = nullptr;
  oshen_status_t status = open_handshake(*group, *attr);
  if (status != OSHEN_OK) return status;
  std::unique_ptr<oshen_plan> made;
  status = wants_auto(*attr) ? make_fastest(*group, *attr, made)
                             : make(*group, *attr, *find_strategy(attr->strategy), made);
  *plan = made.release();
  return status;
}
