#include "account.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

namespace explore {
namespace {

constexpr std::size_t most_lines = 200;
constexpr std::int64_t longest_value = 1'000'000'000;  // others are floating-point numbers or addresses

std::string pe_text(int pe) { return "PE " + std::to_string(pe); }

std::vector<const void*> addresses_of(const account& told) {
  std::vector<const void*> all;
  for (const event& e : told.events) all.push_back(e.said.call.place);
  for (const stopped_pe& one : told.stopped) all.push_back(one.call.place);
  all.push_back(told.end.place);
  all.push_back(told.end.freed_at);
  return all;
}

bool is_plain(step what) { return what == step::load || what == step::store; }

bool is_hidden(const event& e) {
  if (e.operation != event::none) return false;
  if (e.said.what == step::start || e.said.what == step::end) return true;
  return e.said.what == step::quiet && routine_name(e.said.call).find("quiet") == std::string::npos;
}

// Writes that keep what was there before: additions and the like.
bool accumulates(const event& e) {
  return e.operation != event::none && e.stage == static_cast<int>(stage::changes) && e.said.atomic.commutes != 0;
}

bool touches(const event& e, int pe, const memory_use& memory, bool writes) {
  return std::ranges::any_of(e.uses, [&](const memory_use& use) {
    return use.pe == pe && use.writes == writes && use.begin < memory.end && use.end > memory.begin;
  });
}

}  // namespace

std::string routine_name(const explore_call& call) {
  const char* name = explore_routines[call.routine];
  return name != nullptr ? name : "";
}

std::string end_text(const ending& end) { return end.kind.empty() ? "no error" : end.kind + ": " + end.text; }

std::string value_text(const event& e) {
  std::int64_t value = 0;
  if (e.value_bytes == 8)
    value = static_cast<std::int64_t>(e.value);
  else if (e.value_bytes == 4)
    value = static_cast<std::int32_t>(e.value);
  else if (e.value_bytes != 0)
    value = static_cast<std::int64_t>(e.value);
  if (e.value_bytes == 0 || std::abs(value) > longest_value) return "";
  return " = " + std::to_string(value);
}

std::size_t account::length() const {
  std::size_t switches = 0;
  for (std::size_t i = 1; i < events.size(); ++i) switches += events[i].who == events[i - 1].who ? 0 : 1;
  return events.size() + switches;
}

narrator::narrator(const account& told) : told_(told), places_(addresses_of(told)) {}

std::string narrator::object(std::uint64_t address, std::size_t bytes, int pe) const {
  return variables_.name(address, bytes) + " of " + pe_text(pe);
}

std::string narrator::of_operation(const operation& o, const std::string& value) const {
  const std::string by = routine_name(o.said.call) + " of " + pe_text(o.who.pe);
  const std::string where = object(o.memory.address, o.memory.bytes * o.memory.n, o.pe);
  if (o.what == stage::reads) return by + " reads " + where + value;
  const bool comes_back =
      o.said.what == step::get_late || (o.said.what == step::atomic_late && o.what == stage::writes);
  return where + value + (comes_back ? " is the result of " : " by ") + by;
}

std::string narrator::of_program(const event& e) const {
  const entry& s = e.said;
  const std::string routine = routine_name(s.call);
  const std::string value = value_text(e);
  switch (s.what) {
    case step::load: return "load of " + variables_.name(s.to.address, s.to.bytes) + value;
    case step::store: return "store to " + variables_.name(s.to.address, s.to.bytes);
    case step::poll: return "the loop that reads " + variables_.name(s.to.address, s.to.bytes) + " goes on";
    case step::put: return routine + " to " + object(s.to.address, s.to.bytes * s.to.n, s.pe) + value;
    case step::get:
    case step::get_late: return routine + " of " + object(s.from.address, s.from.bytes * s.from.n, s.pe) + value;
    case step::atomic:
    case step::atomic_late: return routine + " on " + object(s.object, s.atomic.bytes, s.pe) + value;
    case step::wait: return routine + " ends: " + variables_.name(s.from.address, s.from.bytes) + value;
    case step::test:
    case step::read_word: return routine + " of " + variables_.name(s.from.address, s.from.bytes) + value;
    case step::set_lock:
    case step::test_lock:
    case step::clear_lock: return routine + " of " + variables_.name(s.from.address, s.from.bytes);
    case step::arrive: return routine + " begins";
    case step::sync:
    case step::leave: return routine + " ends";
    default: return routine;
  }
}

std::string narrator::step(std::size_t i) const {
  const event& e = told_.events[i];
  return e.operation != event::none ? of_operation(told_.operations[e.operation], value_text(e)) : of_program(e);
}

// Loads and stores of memory that no other actor changes say nothing of the order.
std::vector<bool> narrator::shown() const {
  struct cell {
    actor first;
    bool shared = false, written = false;
  };
  std::unordered_map<std::uint64_t, cell> cells;
  const auto visit = [&](const event& e, const auto& act) {
    for (const memory_use& use : e.uses)
      for (std::uint64_t g = use.begin / 8; g * 8 < use.end; ++g)
        act(g * 16 + static_cast<std::uint64_t>(use.pe + 1), use);
  };
  for (const event& e : told_.events)
    visit(e, [&](std::uint64_t key, const memory_use& use) {
      cell& c = cells.try_emplace(key, cell{e.who}).first->second;
      c.shared = c.shared || c.first != e.who;
      c.written = c.written || use.writes;
    });
  for (const operation& o : told_.operations)
    for (std::uint64_t g = o.memory.address / 8; !o.done && g * 8 < o.memory.address + o.memory.bytes * o.memory.n; ++g)
      cells[g * 16 + static_cast<std::uint64_t>(o.pe + 1)] = {o.who, true, true};
  std::vector<bool> all;
  for (const event& e : told_.events) {
    bool matters = e.operation != event::none || !is_plain(e.said.what);
    visit(e, [&](std::uint64_t key, const memory_use&) {
      matters = matters || (cells[key].shared && cells[key].written);
    });
    all.push_back(matters && !is_hidden(e));
  }
  return all;
}

std::string narrator::steps() const {
  struct line {
    std::size_t first;
    std::string text;
    int times;
  };
  std::vector<line> lines;
  const std::vector<bool> chosen = shown();
  for (std::size_t i = 0; i < told_.events.size(); ++i) {
    if (!chosen[i]) continue;
    const event& e = told_.events[i];
    std::array<char, 512> text;
    std::snprintf(text.data(), text.size(), "%-5s %-64s %s",
                  e.operation != event::none ? "  ->" : pe_text(e.who.pe).c_str(), step(i).c_str(),
                  place(e.said.call.place).c_str());
    if (e.operation == event::none && !lines.empty() && lines.back().text == text.data())
      ++lines.back().times;
    else
      lines.push_back({i, text.data(), 1});
  }
  std::string all;
  const std::size_t left_out = lines.size() > most_lines ? lines.size() - most_lines : 0;
  if (left_out > 0)
    all += "  (" + std::to_string(left_out) + " earlier lines are left out; --record FILE has all steps)\n";
  for (std::size_t i = left_out; i < lines.size(); ++i) {
    std::array<char, 640> text;
    std::snprintf(text.data(), text.size(), "%5zu  %s", lines[i].first + 1, lines[i].text.c_str());
    all += text.data();
    all += lines[i].times > 1 ? " (" + std::to_string(lines[i].times) + " times)\n" : "\n";
  }
  return all;
}

std::string narrator::in_flight() const {
  std::string all;
  for (const operation& o : told_.operations)
    if (!o.done) all += "  " + of_operation(o, "") + ", " + place(o.said.call.place) + '\n';
  return all;
}

std::string narrator::stopped() const {
  std::string all;
  for (const stopped_pe& one : told_.stopped) {
    all += "  " + pe_text(one.pe) + ' ';
    if (one.call.place == nullptr) {
      all += one.why + '\n';
      continue;
    }
    const std::string name = one.what == step::poll ? "a loop"
                             : is_plain(one.what)   ? "a load or store"
                                                    : routine_name(one.call);
    all += "is in " + name + " at " + place(one.call.place);
    if (one.memory) all += ": it waits for " + variables_.name(one.memory->begin, one.memory->end - one.memory->begin);
    all += one.why + '\n';
  }
  return all;
}

// Two writes in a row, with no look of the waiting PE between them.
std::optional<std::pair<std::size_t, std::size_t>> narrator::overwritten(const stopped_pe& waiter) const {
  std::optional<std::pair<std::size_t, std::size_t>> found;
  std::size_t unseen = event::none;
  for (std::size_t i = 0; i < told_.events.size(); ++i) {
    const event& e = told_.events[i];
    const bool is_own = e.who == actor{waiter.pe, 0};
    if (is_own && touches(e, waiter.pe, *waiter.memory, false)) unseen = event::none;
    if (!touches(e, waiter.pe, *waiter.memory, true)) continue;
    if (unseen != event::none && !accumulates(e)) found = {unseen, i};
    unseen = is_own ? event::none : i;
  }
  return found;
}

std::optional<std::string> narrator::lost_value() const {
  for (const stopped_pe& one : told_.stopped) {
    if (!one.memory) continue;
    const auto pair = overwritten(one);
    if (!pair) continue;
    const auto [first, second] = *pair;
    return "step " + std::to_string(second + 1) + " overwrote the value of step " + std::to_string(first + 1) +
           " before " + pe_text(one.pe) + " looked: " + step(first) + " (" +
           place(told_.events[first].said.call.place) + "), then " + step(second) + " (" +
           place(told_.events[second].said.call.place) + ")";
  }
  return {};
}

}  // namespace explore
