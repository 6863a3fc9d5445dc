#include "exchanges.hpp"

#include <algorithm>
#include <mutex>

namespace races {
namespace {

// Visits the blocks as `use(address, bytes)`.
template <class Use>
void each_block(const races_blocks& blocks, Use use) {
  const auto* base = static_cast<const char*>(blocks.base);
  if (base == nullptr) return;
  if (blocks.counts == nullptr) {
    use(base, blocks.n * blocks.width);
    return;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < blocks.n; ++i) {
    use(base + (blocks.displs != nullptr ? blocks.displs[i] : next) * blocks.width, blocks.counts[i] * blocks.width);
    next += blocks.counts[i];
  }
}

bool is_root(const started& what) { return what.root == static_cast<int>(what.all.mine); }

}  // namespace

void started::add_dest(const races_blocks& blocks) {
  if (telling == races_all_tell_root && !is_root(*this)) return;
  each_block(blocks, [this](const char* start, std::size_t bytes) { ranges.push_back({start, bytes, true, 0, 0}); });
}

void started::lend(std::uint32_t at, const void* start, std::size_t bytes, bool writes) {
  const auto* first = static_cast<const char*>(start);
  const bool in_place = std::ranges::any_of(ranges, [&](const lent_range& r) {
    const auto* other = static_cast<const char*>(r.start);
    return first < other + r.bytes && other < first + bytes;
  });
  if (of_this_pe.find(start) && bytes != 0 && !in_place)
    ranges.push_back(of_this_pe.lend_until_complete(start, bytes, at, writes));
}

void started::lend(std::uint32_t at, const races_blocks& dest, const races_blocks& source) {
  const auto lend_all = [&](const races_blocks& blocks, bool writes) {
    each_block(blocks, [&](const char* start, std::size_t bytes) { lend(at, start, bytes, writes); });
  };
  if (telling != races_all_tell_root || is_root(*this)) lend_all(dest, true);
  if (telling != races_root_tells_all || is_root(*this)) lend_all(source, false);
}

void read_blocks(std::uint32_t at, const races_blocks& blocks) {
  each_block(blocks, [at](const char* start, std::size_t bytes) {
    of_this_pe.check(of_this_pe.find(start), bytes, {.site = at});
  });
}

void finish(std::uint32_t at, const started& what) {
  const std::scoped_lock lock(of_this_pe.mutex());
  for (std::size_t i = 0; i < what.all.pes.size(); ++i) {
    const bool is_told = what.telling == races_all_tell_all || (what.telling == races_all_tell_root && is_root(what)) ||
                         (what.telling == races_root_tells_all && static_cast<int>(i) == what.root);
    if (is_told) of_this_pe.learn_from(static_cast<std::uint32_t>(what.all.pes[i]));
  }
  for (const lent_range& range : what.ranges) {
    if (range.clock != 0) of_this_pe.end_loan(range);
    of_this_pe.check(of_this_pe.find(range.start), range.bytes, {.site = at, .writes = range.writes});
  }
}

}  // namespace races

using races::of_this_pe;

void races_begin(uint32_t at, int telling, void* team, int root, races_blocks source) {
  if (!of_this_pe.active()) return;
  const races::members all = races::members_of_team(team);
  if (!all.has_me()) return;
  const std::scoped_lock lock(of_this_pe.mutex());
  if (telling != races_root_tells_all || root == static_cast<int>(all.mine)) races::read_blocks(at, source);
  of_this_pe.publish(at);
}

void races_exchange(uint32_t at, int telling, void* team, int root, races_blocks dest, races_blocks source) {
  if (!of_this_pe.active()) return;
  races::started what;
  what.all = races::members_of_team(team);
  what.telling = telling;
  what.root = root;
  if (!what.all.has_me()) return;
  what.add_dest(dest);
  races_begin(at, telling, team, root, source);
  races::meet_team(team);
  races::finish(at, what);
  races::meet_team(team);
}
