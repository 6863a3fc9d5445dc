#include "order.hpp"

#include <algorithm>
#include <cstring>

namespace explore {
namespace {

constexpr std::uint64_t granule = 8;

bool overlap(const memory_use& a, const memory_use& b) { return a.pe == b.pe && a.end > b.begin && b.end > a.begin; }

bool is_plain(const event& e) {
  return e.who.is_program() && (e.said.what == step::load || e.said.what == step::store);
}

bool precedes(const event& a, const event& b, const knowledge& of_b) {
  if (a.operation != event::none) return b.operation == a.operation || of_b.knows_done(a.operation);
  const bool same_program = b.operation == event::none && b.who == a.who;
  return (same_program && a.position <= b.position) || of_b.steps_of(a.who.slot()) > a.position;
}

}  // namespace

bool conflict(const memory_use& a, const memory_use& b) {
  if (!overlap(a, b) || (!a.writes && !b.writes)) return false;
  return a.commutes == 0 || a.commutes != b.commutes || a.begin != b.begin || a.end != b.end;
}

bool conflict(const footprint& a, const footprint& b) {
  return std::ranges::any_of(a, [&](const memory_use& x) {
    return std::ranges::any_of(b, [&](const memory_use& y) { return conflict(x, y); });
  });
}

bool can_race(const memory_use& a, const memory_use& b) {
  const auto never = [](const memory_use& use) { return use.how == access::waits || use.how == access::language; };
  if (!is_memory(a.pe) || !overlap(a, b) || (!a.writes && !b.writes) || never(a) || never(b)) return false;
  const bool both_atomic = a.how == access::atomic && b.how == access::atomic;
  return !both_atomic || a.begin != b.begin || a.end != b.end;
}

void knowledge::join(const knowledge& other) {
  for (std::size_t i = 0; i < other.steps.size(); ++i) add_steps(i, other.steps[i]);
  if (done.size() < other.done.size()) done.resize(other.done.size());
  for (std::size_t i = 0; i < other.done.size(); ++i) done[i] |= other.done[i];
}

bool happens_before(const event& a, const event& b) { return precedes(a, b, *b.before); }
bool is_ordered(const event& a, const event& b) { return precedes(a, b, *b.ordered); }

void join(knowledge& into, const event& e, known event::* what) {
  into.join(*(e.*what));
  if (e.operation != event::none) {
    into.add_done(e.operation);
    return;
  }
  into.add_steps(e.who.slot(), e.position + 1);
}

void history::clear() {
  events_.clear();
  cells_.clear();
}

// A load or store of the same program that `e` follows: what conflicts with it later conflicts with `e` too.
bool history::is_superseded(const use& old, const event& e, const memory_use& mine) const {
  const event& earlier = events_[old.at];
  return earlier.who == e.who && is_plain(earlier) && mine.how == old.memory.how && mine.begin <= old.memory.begin &&
         mine.end >= old.memory.end && (mine.writes || !old.memory.writes);
}

std::vector<std::size_t> history::in_conflict(const footprint& uses) const {
  std::vector<std::size_t> found;
  for (const memory_use& mine : uses)
    for (std::uint64_t g = mine.begin / granule; g * granule < mine.end; ++g) {
      const auto cell = cells_.find(cell_of(mine.pe, g));
      if (cell == cells_.end()) continue;
      for (const use& other : cell->second)
        if (conflict(mine, other.memory)) found.push_back(other.at);
    }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::size_t> history::add(event e) {
  std::vector<std::size_t> found = in_conflict(e.uses);
  const std::size_t index = events_.size();
  for (const memory_use& mine : e.uses)
    for (std::uint64_t g = mine.begin / granule; g * granule < mine.end; ++g) {
      std::vector<use>& uses = cells_[cell_of(mine.pe, g)];
      if (is_plain(e)) std::erase_if(uses, [&](const use& old) { return is_superseded(old, e, mine); });
      uses.push_back({index, mine});
    }
  events_.push_back(std::move(e));
  return found;
}

void history::set_value(std::size_t i, std::span<const std::byte> bytes) {
  event& e = events_[i];
  if (bytes.empty() || bytes.size() > sizeof e.value) return;
  e.value_bytes = static_cast<std::uint8_t>(bytes.size());
  std::memcpy(&e.value, bytes.data(), bytes.size());
}

std::size_t history::last_write(int pe, std::uint64_t begin, std::uint64_t end) const {
  std::size_t last = 0;
  for (std::uint64_t g = begin / granule; g * granule < end; ++g) {
    const auto cell = cells_.find(cell_of(pe, g));
    if (cell == cells_.end()) continue;
    for (auto use = cell->second.rbegin(); use != cell->second.rend(); ++use)
      if (use->memory.writes && use->memory.begin < end && use->memory.end > begin) {
        last = std::max(last, use->at + 1);
        break;
      }
  }
  return last;
}

}  // namespace explore
