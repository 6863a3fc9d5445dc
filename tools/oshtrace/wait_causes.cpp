#include "wait_causes.hpp"

#include <algorithm>

namespace oshtrace {
namespace {

constexpr int line_bits = 6;
constexpr std::int64_t most_lines = 4096;  // per object: of longer ones only the beginning is searched

std::uint64_t key_of(int pe, std::int64_t line) {
  return static_cast<std::uint64_t>(line) * 0x9e3779b97f4a7c15u ^ static_cast<std::uint64_t>(pe) << 40;
}

// Calls visit(line) for the cache lines of an object.
template <class Visit>
void for_lines(std::int64_t object, std::uint64_t bytes, Visit visit) {
  const std::int64_t first = object >> line_bits;
  const std::int64_t last = (object + static_cast<std::int64_t>(std::max<std::uint64_t>(bytes, 1)) - 1) >> line_bits;
  for (std::int64_t line = first; line <= last && line - first < most_lines; ++line) visit(line);
}

bool overlap(std::int64_t a, std::uint64_t n, std::int64_t b, std::uint64_t m) {
  return a < b + static_cast<std::int64_t>(m) && b < a + static_cast<std::int64_t>(n);
}

}  // namespace

wait_causes::wait_causes(const std::vector<pe_trace>& all)
    : all_(all), targets_before_(all.size()), indices_(all.size()) {
  for (int pe = 0; pe < static_cast<int>(all.size()); ++pe) {
    const auto& records = all[static_cast<std::size_t>(pe)].records;
    for (std::size_t at = 0; at < records.size(); ++at) add_write(pe, at, records[at]);
    add_orders(pe);
    add_collectives(pe);
  }
  const auto earlier = [](const write& a, const write& b) { return a.began < b.began; };
  for (auto& [key, writes] : lines_) std::sort(writes.begin(), writes.end(), earlier);
  for (auto& [lock, writes] : releases_) std::sort(writes.begin(), writes.end(), earlier);
}

void wait_causes::add_write(int pe, std::size_t at, const record& r) {
  const write w{all_[static_cast<std::size_t>(pe)].aligned(r.began), {pe, at}, r.object, r.bytes};
  if (r.call_kind() == oshtrace_release) releases_[r.object].push_back(w);
  if (!r.writes() || r.pe < 0) return;
  if (r.object != no_object) add_object(r.pe, r.object, r.bytes, w);
  if (r.signal != no_object) add_object(r.pe, r.signal, sizeof(std::uint64_t), w);
}

void wait_causes::add_object(int to, std::int64_t object, std::uint64_t bytes, const write& w) {
  for_lines(object, bytes, [&](std::int64_t line) {
    lines_[key_of(to, line)].push_back({w.began, w.by, object, std::max<std::uint64_t>(bytes, 1)});
  });
}

void wait_causes::add_orders(int pe) {
  const auto p = static_cast<std::size_t>(pe);
  std::map<std::uint32_t, std::vector<int>> open;  // by context
  for (std::size_t at = 0; at < all_[p].records.size(); ++at) {
    const record& r = all_[p].records[at];
    std::vector<int>& targets = open[r.context];
    if (r.writes() && r.pe >= 0 && std::find(targets.begin(), targets.end(), r.pe) == targets.end())
      targets.push_back(r.pe);
    if (r.call_kind() != oshtrace_order) continue;
    targets_before_[p][at] = targets;
    targets.clear();
  }
}

// All members of a group call its collectives in the same order.
void wait_causes::add_collectives(int pe) {
  const auto p = static_cast<std::size_t>(pe);
  std::map<std::uint64_t, std::size_t> index;
  for (std::size_t at = 0; at < all_[p].records.size(); ++at) {
    const record& r = all_[p].records[at];
    if (!r.is_collective()) continue;
    const std::size_t mine = index[r.group]++;
    indices_[p][at] = mine;
    collective_call& m = collective_calls_[{r.group, mine}];
    const std::int64_t began = all_[p].aligned(r.began);
    if (began > m.began) m = {pe, began};
  }
}

call_id wait_causes::ended_by(int pe, const record& r) const {
  if (r.call_kind() == oshtrace_lock) return latest_release(pe, r);
  const std::int64_t ended = all_[static_cast<std::size_t>(pe)].aligned(r.ended);
  const write* found = nullptr;
  const auto look = [&](std::int64_t object, std::uint64_t bytes) {
    for_lines(object, bytes, [&](std::int64_t line) {
      const auto known = lines_.find(key_of(pe, line));
      if (known == lines_.end()) return;
      const auto& writes = known->second;
      auto later = std::upper_bound(writes.begin(), writes.end(), ended,
                                    [](std::int64_t time, const write& w) { return time < w.began; });
      while (later != writes.begin()) {
        --later;
        if (!overlap(object, bytes, later->object, later->bytes)) continue;
        if (found == nullptr || later->began > found->began) found = &*later;
        return;
      }
    });
  };
  if (r.object != no_object) look(r.object, std::max<std::uint64_t>(r.bytes, 1));
  if (r.signal != no_object) look(r.signal, sizeof(std::uint64_t));
  return found != nullptr ? found->by : call_id{};
}

// The latest release by another PE while this one waited.
call_id wait_causes::latest_release(int pe, const record& r) const {
  const pe_trace& mine = all_[static_cast<std::size_t>(pe)];
  const auto known = releases_.find(r.object);
  call_id found;
  if (known == releases_.end()) return found;
  for (const write& w : known->second) {
    const pe_trace& theirs = all_[static_cast<std::size_t>(w.by.pe)];
    const bool in_time =
        w.began <= mine.aligned(r.ended) && theirs.aligned(theirs.records[w.by.at].ended) >= mine.aligned(r.began);
    if (w.by.pe != pe && in_time) found = w.by;
  }
  return found;
}

int wait_causes::last_of(int pe, std::size_t at) const {
  const auto p = static_cast<std::size_t>(pe);
  return collective_calls_.at({all_[p].records[at].group, indices_[p].at(at)}).last;
}

const std::vector<int>& wait_causes::targets_before(int pe, std::size_t at) const {
  return targets_before_[static_cast<std::size_t>(pe)].at(at);
}

}  // namespace oshtrace
