#include "peers.hpp"

#include <algorithm>

namespace oshtrace {
namespace {

constexpr int line_bits = 6;
constexpr std::int64_t most_lines = 4096;  // of one object: of a longer one the beginning is looked up

std::uint64_t key_of(int pe, std::int64_t line) {
  return static_cast<std::uint64_t>(line) * 0x9e3779b97f4a7c15u ^ static_cast<std::uint64_t>(pe) << 40;
}

// Calls visit(line) for the lines of an object.
template <class Visit>
void for_lines(std::int64_t place, std::uint64_t bytes, Visit visit) {
  const std::int64_t first = place >> line_bits;
  const std::int64_t last = (place + static_cast<std::int64_t>(std::max<std::uint64_t>(bytes, 1)) - 1) >> line_bits;
  for (std::int64_t line = first; line <= last && line - first < most_lines; ++line) visit(line);
}

bool overlap(std::int64_t a, std::uint64_t n, std::int64_t b, std::uint64_t m) {
  return a < b + static_cast<std::int64_t>(m) && b < a + static_cast<std::int64_t>(n);
}

}  // namespace

peers::peers(const std::vector<pe_trace>& all) : all_(all), under_way_(all.size()), turns_(all.size()) {
  for (int pe = 0; pe < static_cast<int>(all.size()); ++pe) {
    const auto& records = all[static_cast<std::size_t>(pe)].records;
    for (std::size_t at = 0; at < records.size(); ++at) note_write(pe, at, records[at]);
    note_order(pe);
    note_collectives(pe);
  }
  const auto earlier = [](const write& a, const write& b) { return a.began < b.began; };
  for (auto& [key, writes] : lines_) std::sort(writes.begin(), writes.end(), earlier);
  for (auto& [lock, writes] : releases_) std::sort(writes.begin(), writes.end(), earlier);
}

void peers::note_write(int pe, std::size_t at, const record& r) {
  const write w{all_[static_cast<std::size_t>(pe)].aligned(r.began), {pe, at}, r.place, r.bytes};
  if (r.what() == oshtrace_release) releases_[r.place].push_back(w);
  if (!r.writes() || r.pe < 0) return;
  if (r.place != nowhere) note_place(r.pe, r.place, r.bytes, w);
  if (r.signal != nowhere) note_place(r.pe, r.signal, sizeof(std::uint64_t), w);
}

void peers::note_place(int to, std::int64_t place, std::uint64_t bytes, const write& w) {
  for_lines(place, bytes, [&](std::int64_t line) {
    lines_[key_of(to, line)].push_back({w.began, w.by, place, std::max<std::uint64_t>(bytes, 1)});
  });
}

void peers::note_order(int pe) {
  const auto p = static_cast<std::size_t>(pe);
  std::map<std::uint32_t, std::vector<int>> open;  // of each context
  for (std::size_t at = 0; at < all_[p].records.size(); ++at) {
    const record& r = all_[p].records[at];
    std::vector<int>& targets = open[r.context];
    if (r.writes() && r.pe >= 0 && std::find(targets.begin(), targets.end(), r.pe) == targets.end())
      targets.push_back(r.pe);
    if (r.what() != oshtrace_order) continue;
    under_way_[p][at] = targets;
    targets.clear();
  }
}

// All members of a group make its collectives in the same order.
void peers::note_collectives(int pe) {
  const auto p = static_cast<std::size_t>(pe);
  std::map<std::uint64_t, std::size_t> turn;
  for (std::size_t at = 0; at < all_[p].records.size(); ++at) {
    const record& r = all_[p].records[at];
    if (!r.is_collective()) continue;
    const std::size_t mine = turn[r.group]++;
    turns_[p][at] = mine;
    meeting& m = meetings_[{r.group, mine}];
    const std::int64_t began = all_[p].aligned(r.began);
    if (began > m.began) m = {pe, began};
  }
}

call_id peers::ended_by(int pe, const record& r) const {
  if (r.what() == oshtrace_lock) return latest_release(pe, r);
  const std::int64_t ended = all_[static_cast<std::size_t>(pe)].aligned(r.ended);
  const write* found = nullptr;
  const auto look = [&](std::int64_t place, std::uint64_t bytes) {
    for_lines(place, bytes, [&](std::int64_t line) {
      const auto known = lines_.find(key_of(pe, line));
      if (known == lines_.end()) return;
      const auto& writes = known->second;
      auto later = std::upper_bound(writes.begin(), writes.end(), ended,
                                    [](std::int64_t time, const write& w) { return time < w.began; });
      while (later != writes.begin()) {
        --later;
        if (!overlap(place, bytes, later->place, later->bytes)) continue;
        if (found == nullptr || later->began > found->began) found = &*later;
        return;
      }
    });
  };
  if (r.place != nowhere) look(r.place, std::max<std::uint64_t>(r.bytes, 1));
  if (r.signal != nowhere) look(r.signal, sizeof(std::uint64_t));
  return found != nullptr ? found->by : call_id{};
}

// Of another PE, while this one waited.
call_id peers::latest_release(int pe, const record& r) const {
  const pe_trace& mine = all_[static_cast<std::size_t>(pe)];
  const auto known = releases_.find(r.place);
  call_id found;
  if (known == releases_.end()) return found;
  for (const write& w : known->second) {
    const pe_trace& theirs = all_[static_cast<std::size_t>(w.by.pe)];
    const bool in_time = w.began <= mine.aligned(r.ended) &&
                         theirs.aligned(theirs.records[w.by.at].ended) >= mine.aligned(r.began);
    if (w.by.pe != pe && in_time) found = w.by;
  }
  return found;
}

int peers::last_of(int pe, std::size_t at) const {
  const auto p = static_cast<std::size_t>(pe);
  return meetings_.at({all_[p].records[at].group, turns_[p].at(at)}).last;
}

const std::vector<int>& peers::under_way(int pe, std::size_t at) const {
  return under_way_[static_cast<std::size_t>(pe)].at(at);
}

}  // namespace oshtrace
