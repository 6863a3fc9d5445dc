// Making a plan: sort the messages, find room for what arrives, and learn where the others want
// theirs.
#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "box_copy.hpp"
#include "plan.hpp"

namespace oshen::exchange {
namespace {

constexpr auto ok = static_cast<std::int32_t>(OSHEN_OK);

using list = std::span<const oshen_message_t>;

bool valid(list messages, int n_members, bool boxes) {
  return std::all_of(messages.begin(), messages.end(), [=](const oshen_message_t& m) {
    if (m.peer < 0 || m.peer >= n_members) return false;
    return !boxes || m.bytes == m.box.element * volume(m.box);
  });
}

bool valid(const oshen_plan_attr_t& a, int n_members) {
  if (a.size != sizeof a || a.n_sends < 0 || a.n_receives < 0) return false;
  if ((a.n_sends > 0 && a.sends == nullptr) || (a.n_receives > 0 && a.receives == nullptr))
    return false;
  if ((a.pack == nullptr) != (a.unpack == nullptr)) return false;
  if (find_strategy(a.strategy) == nullptr) return false;
  const bool boxes = a.pack == nullptr;
  return valid(list(a.sends, static_cast<std::size_t>(a.n_sends)), n_members, boxes) &&
         valid(list(a.receives, static_cast<std::size_t>(a.n_receives)), n_members, boxes);
}

// One parcel per peer that has bytes, beginning with the peer `step` away, so that not all PEs
// write to the same one at the same time.
std::vector<parcel> parcels(list messages, const oshen_group& group, int step) {
  const int n = static_cast<int>(group.members.size());
  std::vector<parcel> by_peer(static_cast<std::size_t>(n));
  int number = 0;
  for (const auto& m : messages) {
    auto& p = by_peer[static_cast<std::size_t>(m.peer)];
    if (m.bytes != 0) p.messages.push_back({number, p.bytes, simplified(m.box)});
    p.bytes += m.bytes;
    number++;
  }
  std::vector<parcel> rotated;
  for (int i = 1; i <= n; i++) {
    const int peer = (group.me + i * step + n) % n;
    auto& p = by_peer[static_cast<std::size_t>(peer)];
    if (p.bytes == 0) continue;
    p.peer = peer;
    rotated.push_back(std::move(p));
  }
  return rotated;
}

// Gives each parcel its place; returns the bytes needed.
std::size_t lay_out(std::vector<parcel>& receives) {
  std::size_t next = 0;
  for (auto& p : receives) {
    p.slot = next;
    next += aligned(p.bytes);
  }
  return next;
}

void stage(oshen_plan& plan) {
  std::size_t next = 0;
  for (auto& p : plan.sends) {
    if (plan.group->members[static_cast<std::size_t>(p.peer)].direct != nullptr) continue;
    p.staged = next;
    next += aligned(p.bytes);
  }
  if (next != 0) plan.staging = std::make_unique<std::byte[]>(next);
}

// First round: each PE tells each other where to send, how much it expects, and whether it is able
// to take part.
void tell_slots(const oshen_plan& plan, std::int32_t strategy, oshen_status_t status) {
  oshen_group& group = *plan.group;
  const auto& own = group.members[static_cast<std::size_t>(group.me)];
  const record common{own.half, own.half_bytes, 0, 0, strategy, static_cast<std::int32_t>(status),
                      ok};
  std::vector<record> records(group.members.size(), common);
  for (const auto& p : plan.receives) {
    auto& to = records[static_cast<std::size_t>(p.peer)];
    to.slot = p.slot;
    to.slot_bytes = p.bytes;
  }
  group.tell(records);
}

// What the others said, entered into group and plan; the worst that has been seen.
oshen_status_t hear_slots(oshen_plan& plan, std::int32_t strategy) {
  oshen_group& group = *plan.group;
  std::int32_t worst = ok;
  bool match = true;
  std::uint64_t expected = 0, sent = 0;
  for (int r = 0; r < static_cast<int>(group.members.size()); r++) {
    const record& said = group.said(r);
    worst = std::max(worst, said.status);
    match = match && said.strategy == strategy;
    expected += said.slot_bytes;
    auto& m = group.members[static_cast<std::size_t>(r)];
    m.half = said.half;
    m.half_bytes = said.half_bytes;
  }
  for (auto& p : plan.sends) {
    const record& said = group.said(p.peer);
    p.slot = said.slot;
    sent += p.bytes;
    match = match && said.slot_bytes == p.bytes;
  }
  if (worst != ok)
    return static_cast<oshen_status_t>(worst);  // the cause; a mismatch may only follow from it
  return match && expected == sent ? OSHEN_OK : OSHEN_MISMATCH;
}

oshen_plan_stats_t one_run(const oshen_plan& plan) {
  oshen_plan_stats_t s{};
  for (const auto& p : plan.sends) {
    if (p.peer == plan.group->me) {
      s.bytes_self += p.bytes;
      continue;
    }
    s.messages++;
    s.bytes += p.bytes;
    if (plan.group->members[static_cast<std::size_t>(p.peer)].direct != nullptr)
      s.bytes_direct += p.bytes;
  }
  return s;
}

// Local part: everything but where the others are.
oshen_status_t prepare(oshen_plan& plan, const oshen_plan_attr_t& attr) {
  oshen_group& group = *plan.group;
  if (!valid(attr, static_cast<int>(group.members.size()))) return OSHEN_INVALID;
  plan.how = find_strategy(attr.strategy);
  plan.pack = attr.pack;
  plan.unpack = attr.unpack;
  plan.context = attr.context;
  plan.sends = parcels(list(attr.sends, static_cast<std::size_t>(attr.n_sends)), group, +1);
  plan.receives =
      parcels(list(attr.receives, static_cast<std::size_t>(attr.n_receives)), group, -1);
  stage(plan);
  plan.one_run = one_run(plan);
  return group.reserve(lay_out(plan.receives)) ? OSHEN_OK : OSHEN_NO_SPACE;
}

oshen_status_t prepare_or_no_space(oshen_plan& plan, const oshen_plan_attr_t& attr) {
  try {
    return prepare(plan, attr);
  } catch (const std::bad_alloc&) {
    plan.sends.clear();
    plan.receives.clear();
    return OSHEN_NO_SPACE;
  }
}

}  // namespace
}  // namespace oshen::exchange

oshen_status_t oshen_plan_create(oshen_group_t* group, const oshen_plan_attr_t* attr,
                                 oshen_plan_t** plan) {
  using namespace oshen::exchange;
  *plan = nullptr;
  auto made = std::make_unique<oshen_plan>();
  made->group = group;
  shmem_team_sync(group->team);  // every earlier run has been unpacked: the receive memory may move
  oshen_status_t status = prepare_or_no_space(*made, *attr);
  const std::int32_t strategy = made->how == nullptr ? 0 : strategy_index(*made->how);
  tell_slots(*made, strategy, status);
  status = std::max(status, hear_slots(*made, strategy));
  status = group->agree(status);
  if (status == OSHEN_OK) *plan = made.release();
  return status;
}
