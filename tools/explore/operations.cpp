// Operations in flight: puts, atomics without a result, non-blocking operations, and the data of collectives.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "machine.hpp"

namespace explore {
namespace {

std::uint32_t bit(int pe) { return 1u << pe; }
// The members before a PE. Those of a team ascend or descend in the world.
std::uint32_t before(const group_key& group, int pe) {
  const std::uint32_t lower = bit(pe) - 1;
  return group.members & (group.descends ? ~(lower | bit(pe)) : lower);
}
// The number of a PE in a group.
int index_in(const group_key& group, int pe) { return std::popcount(before(group, pe)); }
int member_at(const group_key& group, int index) {
  for (int pe = 0; pe < most_pes; ++pe)
    if ((group.members & bit(pe)) != 0 && index_in(group, pe) == index) return pe;
  return -1;
}

std::uint64_t address_of(const void* a) { return reinterpret_cast<std::uint64_t>(a); }

footprint uses_of_blocks(int pe, const blocks& b, bool writes) {
  footprint uses;
  for (std::size_t i = 0; i < b.n && b.bytes > 0; ++i) {
    const std::uint64_t begin = b.address + i * static_cast<std::uint64_t>(b.stride);
    uses.push_back({pe, begin, begin + b.bytes, writes, 0});
  }
  return uses;
}

// An atomic tells of what was before it, and so does a put that may be a flag. The race detector has the same bound.
void note_synchronisation(const operation& o, footprint& uses) {
  constexpr std::size_t most_bytes_of_flag = 64;
  if (uses.empty()) return;
  memory_use& use = uses.front();
  if (o.what == stage::changes) {
    use.how = access::atomic;
    use.writes = use.tells = o.said.atomic.apply != nullptr;
    use.learns = o.said.fetches;
  } else if (o.what == stage::writes && o.said.what == step::put && !o.said.has_signal) {
    use.tells = uses.size() == 1 && o.memory.bytes <= most_bytes_of_flag;
  }
}

}  // namespace

std::size_t machine::start(const actor& who, operation made) {
  program& p = at(who);
  made.who = {who.pe, who.thread, ++p.operations};
  made.started = p.last_event;
  made.epoch = of(who.pe).epochs[made.ctx];
  index_of_[made.who] = operations_.size();
  in_flight_.push_back(operations_.size());
  if (!made.meeting) of(who.pe).open.push_back(operations_.size());
  operations_.push_back(std::move(made));
  return operations_.size() - 1;
}

// The buffer of this operation belongs to the library until a quiet.
void machine::lend(int pe, std::size_t index) { of(pe).lent.push_back(index); }

void machine::take_back(int pe, const entry& said) {
  std::erase_if(of(pe).lent, [&](std::size_t index) {
    const operation& o = operations_[index];
    return (said.ctx == 0 || o.ctx == said.ctx) && (said.pes >> o.said.pe & 1) != 0;
  });
}

void machine::start_put(const actor& who, const entry& said, std::span<const std::byte> payload) {
  operation data;
  data.pe = said.pe;
  data.memory = said.to;
  data.said = said;
  data.ctx = said.ctx;
  data.ordered = true;
  const std::size_t bytes = said.to.bytes * said.to.n;
  std::size_t last = event::none;
  if (said.late && bytes > 0) {
    operation source = data;
    source.what = stage::reads;
    source.pe = who.pe;
    source.memory = said.from;
    source.ordered = false;
    const std::size_t first = start(who, source);
    lend(who.pe, first);
    data.after = first;
    last = start(who, data);
    operations_[first].feeds = last;
  } else if (bytes > 0) {
    data.data.assign(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(bytes));
    last = start(who, data);
  }
  if (!said.has_signal) return;
  operation signal = data;
  signal.what = stage::changes;
  signal.memory = {said.object, said.atomic.bytes, 1, 0};
  signal.data.clear();
  signal.after = last;
  start(who, signal);
}

void machine::start_get(const actor& who, const entry& said) {
  operation source;
  source.what = stage::reads;
  source.pe = said.pe;
  source.memory = said.from;
  source.said = said;
  source.ctx = said.ctx;
  operation dest = source;
  dest.what = stage::writes;
  dest.pe = who.pe;
  dest.memory = said.to;
  const std::size_t first = start(who, source);
  dest.after = first;
  operations_[first].feeds = start(who, dest);
  lend(who.pe, operations_[first].feeds);
}

void machine::start_change(const actor& who, const entry& said) {
  operation change;
  change.what = stage::changes;
  change.pe = said.pe;
  change.memory = {said.object, said.atomic.bytes, 1, 0};
  change.said = said;
  change.ctx = said.ctx;
  change.ordered = true;
  const std::size_t first = start(who, change);
  if (!said.fetches) return;
  operation result = change;
  result.what = stage::writes;
  result.pe = who.pe;
  result.memory = said.to;
  result.ordered = false;
  result.after = first;
  const std::size_t second = start(who, result);
  operations_[first].feeds = second;
  lend(who.pe, second);
}

// Whether a fence of `pe` puts this operation before what `pe` does on `target` after `epoch` fences.
bool machine::comes_before(const operation& first, int pe, int target, std::uint64_t ctx, std::uint32_t epoch) const {
  return first.ordered && first.who.pe == pe && first.pe == target && first.ctx == ctx && first.epoch < epoch;
}

bool machine::could_arrive(const operation& o, std::size_t at) const {
  const auto is_done = [&](const operation& other) { return other.done && other.done_at < at; };
  if (o.after != event::none && !is_done(operations_[o.after])) return false;
  if (o.meeting) {
    std::uint32_t missing = o.needs;
    for (const auto& [pe, part] : meetings_.at(*o.meeting).parts)
      if (part.arrived_at < at) missing &= ~bit(pe);
    if (missing != 0) return false;
  }
  return !o.ordered || std::ranges::none_of(operations_, [&](const operation& other) {
    return !is_done(other) && comes_before(other, o.who.pe, o.pe, o.ctx, o.epoch);
  });
}

// But for fences.
bool machine::is_due(const operation& o) const {
  if (o.done || (o.after != event::none && !operations_[o.after].done)) return false;
  return !o.meeting || (o.needs & ~meetings_.at(*o.meeting).arrived) == 0;
}

bool machine::deliverable(const operation& o) const {
  if (!is_due(o)) return false;
  return !o.ordered || std::ranges::none_of(in_flight_, [&](std::size_t i) {
    return comes_before(operations_[i], o.who.pe, o.pe, o.ctx, o.epoch);
  });
}

void machine::deliver(std::size_t index) {
  operation& o = operations_[index];
  footprint uses = uses_of_blocks(o.pe, o.memory, o.what != stage::reads);
  std::vector<std::byte> value;
  note_synchronisation(o, uses);
  if (o.what == stage::reads) {
    copy(o.pe, o.memory, operations_[o.feeds].data, false);
  } else if (o.what == stage::writes) {
    copy(o.pe, o.memory, o.data, true);
  } else {
    if (!copy(o.pe, o.memory, value, false)) return;
    const std::vector<std::byte> old = value;
    if (o.said.atomic.apply != nullptr) o.said.atomic.apply(value.data(), o.said.operand.data());
    if (value != old) copy(o.pe, o.memory, value, true);
    if (o.feeds != event::none) operations_[o.feeds].data = old;
    uses.front().commutes = o.said.atomic.commutes;
  }
  add_operation_event(index, std::move(uses));
  if (o.what == stage::changes)
    events_.set_value(o.done_at, value);
  else
    events_.set_value(o.done_at, o.what == stage::reads ? operations_[o.feeds].data : o.data);
}

// ---- collectives

namespace {

// The same synchronisation under two names: shmem_sync_all, and shmem_team_sync of SHMEM_TEAM_WORLD.
bool is_plain_sync(const char* routine) {
  const std::string_view name(routine);
  return name == "shmem_sync_all" || name == "shmem_team_sync";
}

// The calls of two PEs that meet.
bool same_collective(const entry& said, const entry& other) {
  const explore_collective &a = said.collective, &b = other.collective;
  if (a.what != b.what) return false;
  if (a.what == explore_sync) {
    const char *one = said.call.routine, *two = other.call.routine;
    const bool same_routine = std::strcmp(one, two) == 0 || (is_plain_sync(one) && is_plain_sync(two));
    // Blocks of the heap.
    return same_routine && said.to.bytes == other.to.bytes && said.from.address == other.from.address;
  }
  const bool same_length = a.what == explore_collect || a.n == b.n;
  return a.combine == b.combine && a.width == b.width && same_length && a.root == b.root;
}

}  // namespace

// A PE arrives at a collective.
bool machine::join_meeting(const actor& who, const entry& said) {
  meeting& here = meetings_[said.group];
  const auto first = here.calls.begin();
  if (first != here.calls.end() && !same_collective(said, first->second)) {
    const std::string mine = said.call.routine, other = first->second.call.routine;
    fail("collectives in different orders",
         name_of(who) + " calls " + mine +
             (mine == other ? " with other arguments than PE " + std::to_string(first->first)
                            : " where PE " + std::to_string(first->first) + " calls " + other),
         said.call.place);
    return false;
  }
  here.calls.emplace(who.pe, said);
  here.arrived |= bit(who.pe);
  return true;
}

void machine::arrive(const actor& who, const entry& said, std::span<const std::byte> payload) {
  if (!join_meeting(who, said)) return;
  meeting& here = meetings_[said.group];
  here.parts[who.pe] = {
      said, std::vector<std::byte>(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(said.from.bytes)),
      at(who).last_event};
  contribute(who, said, payload);
  fill_results(said.group);
}

// The PEs whose data `pe` needs.
std::uint32_t machine::contributors(const entry& said, int pe) const {
  const explore_collective& c = said.collective;
  const std::uint32_t all = said.group.members;
  switch (c.what) {
    case explore_broadcast: {
      const int root = member_at(said.group, c.root);
      return c.group.team == nullptr && pe == root ? 0 : bit(root);
    }
    case explore_inscan: return before(said.group, pe) | bit(pe);
    case explore_exscan: return before(said.group, pe);
    default: return all;
  }
}

void machine::contribute(const actor& who, const entry& said, std::span<const std::byte> source) {
  const explore_collective& c = said.collective;
  const std::uint32_t all = said.group.members;
  const std::size_t block = c.n * c.width;
  const int mine = index_in(said.group, who.pe);
  operation made;
  made.said = said;
  made.meeting = said.group;
  const auto send = [&](int to, const blocks& where, std::uint32_t needs, std::vector<std::byte> data) {
    if (where.bytes == 0) return;
    made.pe = to;
    made.memory = where;
    made.needs = needs;
    made.data = std::move(data);
    meetings_[said.group].operations.push_back(start(who, made));
  };
  if (c.what == explore_reduce || c.what == explore_inscan || c.what == explore_exscan)
    return send(who.pe, {address_of(c.dest), block, 1, 0}, contributors(said, who.pe), {});
  for (int to = 0; to < asked_.n_pes; ++to) {
    if ((all & bit(to)) == 0 || (contributors(said, to) & bit(who.pe)) == 0) continue;
    blocks where{address_of(c.dest), block, 1, 0};
    std::vector<std::byte> data(source.begin(),
                                source.begin() + static_cast<std::ptrdiff_t>(std::min(block, said.from.bytes)));
    std::uint32_t needs = bit(who.pe);
    if (c.what == explore_fcollect) where.address += static_cast<std::uint64_t>(mine) * block;
    if (c.what == explore_collect) needs = before(said.group, who.pe) | bit(who.pe);
    if (c.what == explore_alltoall) {
      const auto skip = static_cast<std::size_t>(c.source_stride) * c.width;
      const std::byte* from = source.data() + static_cast<std::size_t>(index_in(said.group, to)) * c.n * skip;
      for (std::size_t i = 0; i < c.n; ++i) std::memcpy(data.data() + i * c.width, from + i * skip, c.width);
      const auto stride = static_cast<std::size_t>(c.dest_stride) * c.width;
      where = {where.address + static_cast<std::uint64_t>(mine) * c.n * stride, c.width, c.n,
               static_cast<std::ptrdiff_t>(stride)};
      if (c.dest_stride == 1) where = {where.address, block, 1, 0};
    }
    send(to, where, needs, std::move(data));
  }
}

// What is known only when several PEs have arrived: results of reductions and scans, places of a collect.
void machine::fill_results(const group_key& key) {
  meeting& here = meetings_[key];
  for (const std::size_t index : here.operations) {
    operation& o = operations_[index];
    if (o.done || (o.needs & ~here.arrived) != 0) continue;
    const explore_collective& c = o.said.collective;
    if (c.what == explore_collect) {
      o.memory.address = address_of(c.dest);
      for (const auto& [pe, part] : here.parts)
        if ((before(key, o.who.pe) & bit(pe)) != 0) o.memory.address += part.data.size();
    } else if (c.combine != nullptr && o.data.empty()) {
      for (int i = 0; i < std::popcount(key.members); ++i) {
        const int pe = member_at(key, i);
        if ((o.needs & bit(pe)) == 0) continue;
        const std::vector<std::byte>& part = here.parts[pe].data;
        if (o.data.empty())
          o.data = part;
        else
          c.combine(o.data.data(), part.data(), c.n);
      }
      o.data.resize(c.n * c.width);  // an exclusive scan begins with zero
    }
  }
}

}  // namespace explore
