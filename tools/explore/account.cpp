#include "account.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

namespace explore {
namespace {

constexpr std::size_t most_lines = 200;
constexpr std::int64_t longest_value = 1'000'000'000;  // others are floating-point numbers or addresses

std::vector<const void*> addresses_of(const account& told) {
  std::vector<const void*> all;
  for (const event& e : told.events) all.push_back(e.said.call.place);
  for (const stopped_program& one : told.stopped) all.push_back(one.call.place);
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

std::string routine_name(const explore_call& call) { return call.routine != nullptr ? call.routine : ""; }

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
  return variables_.name(address, bytes) + " of " + name_of({pe});
}

std::string narrator::of_operation(const operation& o, const std::string& value) const {
  const std::string by = routine_name(o.said.call) + " of " + name_of(o.who);
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
    case step::arrive: return routine + " begins";
    case step::sync:
    case step::leave: return routine + " ends";
    default: return of_thread(e);
  }
}

// Steps by which threads of a PE synchronise.
std::string narrator::of_thread(const event& e) const {
  const entry& s = e.said;
  const std::string routine = routine_name(s.call);
  const std::string object =
      s.from.bytes > 0 ? routine + " of " + variables_.name(s.from.address, s.from.bytes) : routine;
  switch (s.what) {
    case step::create: return routine + " of thread " + std::to_string(s.thread);
    case step::join: return routine + " of thread " + std::to_string(s.thread) + " ends";
    case step::sleep: return object + " sleeps";
    case step::awake: return object + " wakes";
    case step::notify: return object + (e.value == 0 ? ", for which no thread waits" : "");
    case step::meet_threads: return object + " begins";
    case step::part_threads: return object + " ends";
    case step::set_up:
    case step::post:
    case step::take:
    case step::try_take:
    case step::set_lock:
    case step::test_lock:
    case step::clear_lock: return object;
    default: return routine;
  }
}

std::string narrator::step(std::size_t i) const {
  const event& e = told_.events[i];
  return e.operation != event::none ? of_operation(told_.operations[e.operation], value_text(e)) : of_program(e);
}

// Loads and stores of memory that no other actor changes say nothing of the order. Of a loop the last round is enough.
std::vector<bool> narrator::shown() const {
  struct cell {
    actor first;
    bool shared = false, written = false;
  };
  std::unordered_map<std::uint64_t, cell> cells;
  const auto visit = [&](const event& e, const auto& act) {
    for (const memory_use& use : e.uses)
      for (std::uint64_t g = use.begin / 8; g * 8 < use.end; ++g) act(cell_of(use.pe, g), use);
  };
  for (const event& e : told_.events)
    visit(e, [&](std::uint64_t key, const memory_use& use) {
      cell& c = cells.try_emplace(key, cell{e.who}).first->second;
      c.shared = c.shared || c.first != e.who;
      c.written = c.written || use.writes;
    });
  for (const operation& o : told_.operations)
    for (std::uint64_t g = o.memory.address / 8; !o.done && g * 8 < o.memory.address + o.memory.bytes * o.memory.n; ++g)
      cells[cell_of(o.pe, g)] = {o.who, true, true};
  std::map<std::pair<actor, const void*>, const event*> last_rounds;
  for (const event& e : told_.events)
    if (e.said.what == step::poll) last_rounds[{e.who, e.said.call.place}] = &e;
  std::vector<bool> all;
  for (const event& e : told_.events) {
    bool matters = e.operation != event::none || !is_plain(e.said.what);
    visit(e, [&](std::uint64_t key, const memory_use&) {
      matters = matters || (cells[key].shared && cells[key].written);
    });
    const bool is_early = e.said.what == step::poll && last_rounds[{e.who, e.said.call.place}] != &e;
    all.push_back(matters && !is_early && !is_hidden(e));
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
  const bool has_threads = std::ranges::any_of(told_.events, [](const event& e) { return e.who.thread != 0; });
  const int width = has_threads ? 14 : 5;
  for (std::size_t i = 0; i < told_.events.size(); ++i) {
    if (!chosen[i]) continue;
    const event& e = told_.events[i];
    std::array<char, 512> text;
    std::snprintf(text.data(), text.size(), "%-*s %-64s %s", width,
                  e.operation != event::none ? "  ->" : name_of(e.who).c_str(), step(i).c_str(),
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

std::string narrator::stop(const stopped_program& one) const {
  if (one.call.place == nullptr) return one.why;
  const std::string name = one.what == step::poll ? "a loop"
                           : is_plain(one.what)   ? "a load or store"
                                                  : routine_name(one.call);
  std::string text = "is in " + name + " at " + place(one.call.place);
  if (one.memory) text += ": it waits for " + variables_.name(one.memory->begin, one.memory->end - one.memory->begin);
  return text + one.why;
}

std::string narrator::stopped() const {
  std::string all;
  for (const stopped_program& one : told_.stopped) all += "  " + name_of(one.who) + ' ' + stop(one) + '\n';
  return all;
}

// Two writes in a row, with no look of the waiting PE between them.
std::optional<std::pair<std::size_t, std::size_t>> narrator::overwritten(const stopped_program& waiter) const {
  std::optional<std::pair<std::size_t, std::size_t>> found;
  std::size_t unseen = event::none;
  for (std::size_t i = 0; i < told_.events.size(); ++i) {
    const event& e = told_.events[i];
    const bool is_own = e.who == waiter.who;
    if (is_own && touches(e, waiter.who.pe, *waiter.memory, false)) unseen = event::none;
    if (!touches(e, waiter.who.pe, *waiter.memory, true)) continue;
    if (unseen != event::none && !accumulates(e)) found = {unseen, i};
    unseen = is_own ? event::none : i;
  }
  return found;
}

// The last signal for a condition variable, if no thread slept then.
std::optional<std::size_t> narrator::unheard(const stopped_program& sleeper) const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < told_.events.size(); ++i) {
    const event& e = told_.events[i];
    if (e.said.what != step::notify || e.who.pe != sleeper.who.pe || e.said.from.address != sleeper.memory->begin)
      continue;
    found.reset();
    if (e.value == 0) found = i;
  }
  return found;
}

std::optional<std::string> narrator::lost_value() const {
  for (const stopped_program& one : told_.stopped) {
    if (!one.memory) continue;
    if (one.what == step::awake) {
      const auto signal = unheard(one);
      if (!signal) continue;
      return "step " + std::to_string(*signal + 1) + " came before " + name_of(one.who) + " slept: " + step(*signal) +
             " (" + place(told_.events[*signal].said.call.place) + ")";
    }
    const auto pair = overwritten(one);
    if (!pair) continue;
    const auto [first, second] = *pair;
    return "step " + std::to_string(second + 1) + " overwrote the value of step " + std::to_string(first + 1) +
           " before " + name_of(one.who) + " looked: " + step(first) + " (" +
           place(told_.events[first].said.call.place) + "), then " + step(second) + " (" +
           place(told_.events[second].said.call.place) + ")";
  }
  return {};
}

}  // namespace explore
