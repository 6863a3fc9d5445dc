// The steps of a program: what each uses, when it can be carried out, and what it does.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "machine.hpp"

namespace explore {
namespace {

constexpr int most_doublings = 16;   // of the loads that a loop may make on its own
constexpr int most_repetitions = 2;  // of a read before it counts as a loop that waits

void add_blocks(footprint& uses, int pe, const blocks& b, bool writes) {
  for (std::size_t i = 0; i < b.n && b.bytes > 0; ++i) {
    const std::uint64_t begin = b.address + i * static_cast<std::uint64_t>(b.stride);
    uses.push_back({pe, begin, begin + b.bytes, writes, 0});
  }
}

// A loop of loads may read several objects. They were logged as loads, so they race as loads.
void add_others_of_loop(footprint& uses, int pe, const entry& said) {
  for (std::uint32_t i = 0; said.what == step::poll && i < said.count; ++i) {
    std::uint64_t address = 0;
    std::memcpy(&address, said.operand.data() + i * sizeof address, sizeof address);
    uses.push_back({pe, address, address + 1, false, 0, access::waits});
  }
}

// Threads share contexts: a fence or quiet of one counts for the operations that others have started.
void add_use_of_context(footprint& uses, int pe, const entry& said) {
  if (!said.threaded || said.ctx == 0) return;
  const bool starts = said.what == step::put || said.what == step::get_late || said.what == step::atomic_late ||
                      said.what == step::atomic;
  if (!starts && said.what != step::fence && said.what != step::quiet) return;
  uses.push_back({context_space(pe), said.ctx * 8, said.ctx * 8 + 8, starts, starts ? 1 : 0});
}

}  // namespace

footprint machine::uses_of(const entry& said, const actor& who) const {
  footprint uses;
  switch (said.what) {
    case step::load:
    case step::store:
    case step::poll:
      add_blocks(uses, who.pe, said.to, said.what == step::store);
      add_others_of_loop(uses, who.pe, said);
      if (said.of_language)
        for (memory_use& use : uses) use.how = access::language, use.learns = true, use.tells = use.writes;
      break;
    case step::put:
      if (!said.late) add_blocks(uses, who.pe, said.from, false);
      break;
    case step::arrive: add_blocks(uses, who.pe, said.from, false); break;
    case step::get:
      add_blocks(uses, said.pe, said.from, false);
      add_blocks(uses, who.pe, said.to, true);
      break;
    case step::read_word:
      uses.push_back({who.pe, said.from.address, said.from.address + said.from.bytes, false, 0, access::waits, true});
      break;
    case step::wait:
    case step::test: {
      const std::size_t values =
          said.condition.value_stride == 0 ? said.condition.bytes : said.condition.n * said.condition.value_stride;
      for (std::size_t i = 0; i < said.condition.n; ++i) {
        int left_out = 0;
        std::memcpy(&left_out, at(who).payload.data() + values + i * sizeof left_out, sizeof left_out);
        const std::uint64_t begin = said.from.address + i * said.condition.bytes;
        if (left_out == 0) uses.push_back({who.pe, begin, begin + said.condition.bytes, false, 0, access::waits});
      }
      break;
    }
    case step::set_lock:
    case step::test_lock:
    case step::awake:
    case step::take:
    case step::try_take: uses = uses_of_object(who, said); break;
    default: break;
  }
  add_use_of_context(uses, who.pe, said);
  return uses;
}

void machine::take_logged(const actor& who, const entry& said, std::span<const std::byte> payload) {
  program& p = at(who);
  add_program_event(who, said, uses_of(said, who));
  switch (said.what) {
    case step::load:
      events_.set_value(p.last_event, std::span(said.operand).first(std::min(said.to.bytes, said.operand.size())));
      remember_read(who, said, events_[p.last_event].uses);
      break;
    case step::fence: ++of(who.pe).epochs[said.ctx]; break;
    case step::put:
      if (!said.late) events_.set_value(p.last_event, payload.first(said.to.bytes * said.to.n));
      start_put(who, said, payload);
      break;
    case step::get_late: start_get(who, said); break;
    case step::atomic_late: start_change(who, said); break;
    case step::arrive: arrive(who, said, payload); break;
    default: break;
  }
  if (said.what == step::put || said.what == step::atomic_late || said.what == step::arrive) p.reads.clear();
}

std::uint64_t machine::carry_out(const actor& who, const entry& said) {
  switch (said.what) {
    case step::atomic: return change_now(who, said);
    case step::wait:
    case step::test:
    case step::read_word: return ask(who, said);
    case step::poll: ask(who, said); return free_loads(who);
    case step::get: get(who, said); return 0;
    case step::quiet: quiet(who, said); return 0;
    case step::sync: meet(who, said); return 0;
    case step::leave: leave(who, said); return 0;
    default: return carry_out_of_threads(who, said);
  }
}

// ---- reads, and loops of them

void machine::remember_read(const actor& who, const entry& said, const footprint& uses) {
  program& p = at(who);
  for (const memory_use& use : uses) {
    if (use.pe == who.pe && use.writes) continue;
    const auto [old, is_new] =
        p.reads.try_emplace({said.what, said.call.place, use.pe, use.begin}, seen_read{use, p.last_event, 1});
    if (is_new) continue;
    seen_read& seen = old->second;
    const bool same = events_.last_write(use.pe, use.begin, use.end) <= seen.at + 1;
    seen.times = same ? seen.times + 1 : 1;
    seen.at = p.last_event;
  }
}

// Nothing has changed since the loop of loads has read it.
bool machine::is_polling(const actor& who, const entry& said) const {
  const program& p = at(who);
  return std::ranges::all_of(uses_of(said, who), [&](const memory_use& use) {
    return std::ranges::any_of(p.reads, [&](const auto& read) {
      return read.second.memory.begin == use.begin && read.second.memory.pe == use.pe &&
             events_.last_write(use.pe, use.begin, use.end) <= read.second.at + 1;
    });
  });
}

// The program has made this read before, and nothing that it reads in the loop has changed since.
bool machine::is_repeating(const actor& who, const entry& said) {
  const program& p = at(who);
  if (said.what == step::poll) return is_polling(who, said);
  if (!is_read(said.what)) return false;
  const footprint uses = said.what == step::atomic
                             ? footprint{{said.pe, said.object, said.object + said.atomic.bytes, false, 0}}
                             : uses_of(said, who);
  if (uses.empty()) return false;
  std::size_t since = events_.size();
  for (const memory_use& use : uses) {
    if (use.pe == who.pe && use.writes) continue;
    const auto old = p.reads.find({said.what, said.call.place, use.pe, use.begin});
    if (old == p.reads.end() || old->second.times < most_repetitions) return false;
    since = std::min(since, old->second.at);
  }
  return std::ranges::none_of(p.reads, [&](const auto& read) {
    const seen_read& r = read.second;
    return r.at >= since && events_.last_write(r.memory.pe, r.memory.begin, r.memory.end) > r.at + 1;
  });
}

// Nothing else can happen. So the loop may be a computation that reads a value again and again, such as a number of
// threads. Each time it gets twice as many loads.
std::uint64_t machine::free_loads(const actor& who) {
  const program& p = at(who);
  return p.released ? std::uint64_t{1} << std::min(p.releases, most_doublings) : 0;
}

std::uint64_t machine::change_now(const actor& who, const entry& said) {
  std::vector<std::size_t> follows;
  for (const std::size_t i : of(who.pe).open)
    if (const operation& o = operations_[i];
        o.done && comes_before(o, who.pe, said.pe, said.ctx, of(who.pe).epochs[said.ctx]))
      follows.push_back(o.done_at);
  std::vector<std::byte> old(said.atomic.bytes);
  if (!read(said.pe, said.object, old)) return 0;
  std::vector<std::byte> now = old;
  if (said.atomic.apply != nullptr) said.atomic.apply(now.data(), said.operand.data());
  const bool changes = now != old;
  if (changes && !write(said.pe, said.object, now)) return 0;
  write(who.pe, said.to.address, old);
  footprint uses{{said.pe, said.object, said.object + said.atomic.bytes, changes, 0, access::atomic, true,
                  said.atomic.apply != nullptr}};
  add_use_of_context(uses, who.pe, said);
  add_program_event(who, said, uses, follows);
  events_.set_value(at(who).last_event, old);
  if (changes)
    at(who).reads.clear();
  else
    remember_read(who, said, uses);
  return 0;
}

void machine::get(const actor& who, const entry& said) {
  std::vector<std::byte> bytes;
  if (!copy(said.pe, said.from, bytes, false) || !copy(who.pe, said.to, bytes, true)) return;
  const footprint uses = uses_of(said, who);
  add_program_event(who, said, uses);
  events_.set_value(at(who).last_event, bytes);
  remember_read(who, said, uses);
}

// Waits, tests, and reads of one word.
std::uint64_t machine::ask(const actor& who, const entry& said) {
  std::uint64_t result = 0;
  if (said.what == step::read_word) {
    read(who.pe, said.from.address, std::as_writable_bytes(std::span(&result, 1)));
  }
  footprint uses = uses_of(said, who);
  if (said.what == step::wait || said.what == step::test) condition_holds(who, said, &result, &uses);
  add_program_event(who, said, uses);
  std::array<std::byte, sizeof(std::uint64_t)> value;
  if (said.what != step::poll && said.from.bytes <= value.size() &&
      read(who.pe, said.from.address, {value.data(), said.from.bytes}))
    events_.set_value(at(who).last_event, {value.data(), said.from.bytes});
  if (said.what == step::wait)
    at(who).reads.clear();
  else
    remember_read(who, said, uses);
  return result;
}

// `learning`: the uses of the step, which learn from the objects that fulfil it. Then it also writes the numbers of
// these to the PE.
bool machine::condition_holds(const actor& who, const entry& said, std::uint64_t* result, footprint* learning) {
  const explore_condition& c = said.condition;
  const std::vector<std::byte>& payload = at(who).payload;
  const std::size_t values = c.value_stride == 0 ? c.bytes : c.n * c.value_stride;
  std::vector<std::byte> objects(c.n * c.bytes);
  if (!read(who.pe, said.from.address, objects)) return false;
  std::vector<std::size_t> holding;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < c.n; ++i) {
    int left_out = 0;
    std::memcpy(&left_out, payload.data() + values + i * sizeof left_out, sizeof left_out);
    if (left_out != 0) continue;
    ++asked;
    if (c.holds(objects.data() + i * c.bytes, c.cmp, payload.data() + i * c.value_stride) != 0) holding.push_back(i);
  }
  const bool all = holding.size() == asked;
  if (c.which == explore_any) {
    *result = holding.empty() ? std::numeric_limits<std::size_t>::max() : holding.front();
  } else if (c.which == explore_some) {
    *result = holding.size();
    if (learning != nullptr)
      write(who.pe, reinterpret_cast<std::uint64_t>(c.indices), std::as_bytes(std::span(holding)));
  } else {
    *result = all ? 1 : 0;
  }
  const bool holds = c.which == explore_any || c.which == explore_some ? !holding.empty() : all;
  if (learning != nullptr && holds) {
    if (c.which == explore_any) holding.resize(1);
    for (memory_use& use : *learning)
      use.learns = std::ranges::find(holding, (use.begin - said.from.address) / c.bytes) != holding.end();
  }
  return asked == 0 || holds;
}

// ---- order and collectives

// The operations that a quiet waits for. Others may be done by chance.
bool machine::is_quieted(const operation& o, int pe, const entry& said) {
  return o.who.pe == pe && !o.meeting && (said.ctx == 0 || o.ctx == said.ctx) && (said.pes >> o.said.pe & 1) != 0;
}

void machine::quiet(const actor& who, const entry& said) {
  std::vector<std::size_t> follows;
  for (const std::size_t i : of(who.pe).open)
    if (const operation& o = operations_[i]; o.done && is_quieted(o, who.pe, said)) follows.push_back(o.done_at);
  add_program_event(who, said, uses_of(said, who), follows);
  // From now on the program knows them. Other threads of the PE may not.
  if (threads_.size() == static_cast<std::size_t>(asked_.n_pes))
    std::erase_if(of(who.pe).open, [&](std::size_t i) { return is_quieted(operations_[i], who.pe, said); });
  take_back(who.pe, said);
}

bool machine::all_met(const group_key& key) const {
  const auto found = meetings_.find(key);
  return found != meetings_.end() && (found->second.arrived & key.members) == key.members;
}

void machine::meet(const actor& who, const entry& said) {
  meeting& here = meetings_[said.group];
  // What each PE knew when it arrived.
  if (here.arrivals.empty())
    for (const auto& [pe, thread] : here.threads) here.arrivals.push_back(at(thread).last_event);
  add_program_event(who, said, {}, here.arrivals);
  change_heap(who.pe, said);
  at(who).reads.clear();
}

void machine::leave(const actor& who, const entry& said) {
  std::vector<std::size_t> follows;
  for (const std::size_t index : meetings_[said.group].operations)
    if (operations_[index].pe == who.pe && operations_[index].done) follows.push_back(operations_[index].done_at);
  for (const auto& [other, part] : meetings_[said.group].parts)
    if ((contributors(said, who.pe) >> other & 1) != 0) follows.push_back(part.arrived_at);
  add_program_event(who, said, {}, follows);
  at(who).reads.clear();
}

bool machine::can_go(const actor& who) {
  program& p = at(who);
  const entry& said = *p.stopped;
  if (p.released) return true;
  if (is_repeating(who, said)) return false;
  std::uint64_t result = 0;
  switch (said.what) {
    case step::wait: return condition_holds(who, said, &result, nullptr);
    case step::atomic:
      return std::ranges::none_of(in_flight_, [&](std::size_t i) {
        return comes_before(operations_[i], who.pe, said.pe, said.ctx, of(who.pe).epochs[said.ctx]);
      });
    case step::quiet:
      return std::ranges::none_of(in_flight_, [&](std::size_t i) { return is_quieted(operations_[i], who.pe, said); });
    case step::sync: return all_met(said.group);
    case step::leave:
      return std::ranges::none_of(meetings_[said.group].operations,
                                  [&](std::size_t i) { return operations_[i].pe == who.pe && !operations_[i].done; }) &&
             (contributors(said, who.pe) & ~meetings_[said.group].arrived) == 0;
    case step::global_exit: return false;
    default: return can_go_of_threads(who, said);
  }
}

}  // namespace explore
