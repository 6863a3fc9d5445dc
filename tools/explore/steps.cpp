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

// The scheduler carries it out, and it may have to be repeated until something changes.
bool is_read(step what) {
  return what == step::get || what == step::atomic || what == step::test || what == step::read_word ||
         what == step::poll || what == step::test_lock;
}

}  // namespace

footprint machine::uses_of(const entry& said, int pe) const {
  footprint uses;
  switch (said.what) {
    case step::load:
    case step::store:
    case step::poll:
      add_blocks(uses, pe, said.to, said.what == step::store);
      if (said.of_language)
        for (memory_use& use : uses) use.how = access::language, use.learns = true, use.tells = use.writes;
      break;
    case step::put:
      if (!said.late) add_blocks(uses, pe, said.from, false);
      break;
    case step::arrive: add_blocks(uses, pe, said.from, false); break;
    case step::get:
      add_blocks(uses, said.pe, said.from, false);
      add_blocks(uses, pe, said.to, true);
      break;
    case step::read_word:
      uses.push_back({pe, said.from.address, said.from.address + said.from.bytes, false, 0, access::waits, true});
      break;
    case step::wait:
    case step::test: {
      const std::size_t values =
          said.condition.value_stride == 0 ? said.condition.bytes : said.condition.n * said.condition.value_stride;
      for (std::size_t i = 0; i < said.condition.n; ++i) {
        int left_out = 0;
        std::memcpy(&left_out, at(pe).payload.data() + values + i * sizeof left_out, sizeof left_out);
        const std::uint64_t begin = said.from.address + i * said.condition.bytes;
        if (left_out == 0) uses.push_back({pe, begin, begin + said.condition.bytes, false, 0, access::waits});
      }
      break;
    }
    case step::set_lock:
    case step::clear_lock:
    case step::test_lock:
      uses.push_back({lock_space, said.from.address, said.from.address + 1, true, 0, access::plain,
                      said.what != step::clear_lock, said.what == step::clear_lock});
      break;
    default: break;
  }
  return uses;
}

void machine::take_logged(int pe, const entry& said, std::span<const std::byte> payload) {
  program& p = at(pe);
  add_program_event(pe, said, uses_of(said, pe));
  switch (said.what) {
    case step::load:
      events_.set_value(p.last_event, std::span(said.operand).first(std::min(said.to.bytes, said.operand.size())));
      remember_read(pe, said, events_[p.last_event].uses);
      break;
    case step::fence: ++p.epochs[said.ctx]; break;
    case step::put:
      if (!said.late) events_.set_value(p.last_event, payload.first(said.to.bytes * said.to.n));
      start_put(pe, said, payload);
      break;
    case step::get_late: start_get(pe, said); break;
    case step::atomic_late: start_change(pe, said); break;
    case step::arrive: arrive(pe, said, payload); break;
    default: break;
  }
  if (said.what == step::put || said.what == step::atomic_late || said.what == step::arrive) p.reads.clear();
}

std::uint64_t machine::carry_out(int pe, const entry& said) {
  switch (said.what) {
    case step::atomic: return change_now(pe, said);
    case step::wait:
    case step::test:
    case step::read_word: return ask(pe, said);
    case step::poll: ask(pe, said); return free_loads(pe);
    case step::get: get(pe, said); return 0;
    case step::quiet: quiet(pe, said); return 0;
    case step::sync: meet(pe, said); return 0;
    case step::leave: leave(pe, said); return 0;
    case step::set_lock:
    case step::test_lock:
    case step::clear_lock: return lock(pe, said);
    default: add_program_event(pe, said, {}); return 0;
  }
}

// ---- reads, and loops of them

std::vector<machine::seen_read>::iterator machine::find_read(program& p, const entry& said, const memory_use& use) {
  return std::ranges::find_if(p.reads, [&](const seen_read& r) {
    return r.what == said.what && r.place == said.call.place && r.memory.pe == use.pe && r.memory.begin == use.begin;
  });
}

void machine::remember_read(int pe, const entry& said, const footprint& uses) {
  program& p = at(pe);
  for (const memory_use& use : uses) {
    if (use.pe == pe && use.writes) continue;
    const auto old = find_read(p, said, use);
    if (old == p.reads.end()) {
      p.reads.push_back({said.what, said.call.place, use, p.last_event, 1});
      continue;
    }
    const bool same = events_.last_write(use.pe, use.begin, use.end) <= old->at + 1;
    old->times = same ? old->times + 1 : 1;
    old->at = p.last_event;
  }
}

// The program has made this read before, and nothing that it reads in the loop has changed since.
bool machine::is_repeating(int pe, const entry& said) {
  program& p = at(pe);
  if (said.what == step::poll)
    return events_.last_write(pe, said.to.address, said.to.address + said.to.bytes) <= p.last_event + 1;
  if (!is_read(said.what)) return false;
  const footprint uses = said.what == step::atomic
                             ? footprint{{said.pe, said.object, said.object + said.atomic.bytes, false, 0}}
                             : uses_of(said, pe);
  if (uses.empty()) return false;
  std::size_t since = events_.size();
  for (const memory_use& use : uses) {
    if (use.pe == pe && use.writes) continue;
    const auto old = find_read(p, said, use);
    if (old == p.reads.end() || old->times < most_repetitions) return false;
    since = std::min(since, old->at);
  }
  return std::ranges::none_of(p.reads, [&](const seen_read& r) {
    return r.at >= since && events_.last_write(r.memory.pe, r.memory.begin, r.memory.end) > r.at + 1;
  });
}

// Nothing else can happen. So the loop may be a computation that reads a value again and again, such as a number of
// threads. Each time it gets twice as many loads.
std::uint64_t machine::free_loads(int pe) {
  const program& p = at(pe);
  return p.released ? std::uint64_t{1} << std::min(p.releases, most_doublings) : 0;
}

std::uint64_t machine::change_now(int pe, const entry& said) {
  std::vector<std::size_t> follows;
  for (const operation& o : operations_)
    if (o.done && comes_before(o, pe, said.pe, said.ctx, at(pe).epochs[said.ctx])) follows.push_back(o.done_at);
  std::vector<std::byte> old(said.atomic.bytes);
  if (!read(said.pe, said.object, old)) return 0;
  std::vector<std::byte> now = old;
  if (said.atomic.apply != nullptr) said.atomic.apply(now.data(), said.operand.data());
  const bool changes = now != old;
  if (changes && !write(said.pe, said.object, now)) return 0;
  write(pe, said.to.address, old);
  const footprint uses{{said.pe, said.object, said.object + said.atomic.bytes, changes, 0, access::atomic, true,
                        said.atomic.apply != nullptr}};
  add_program_event(pe, said, uses, follows);
  events_.set_value(at(pe).last_event, old);
  if (changes)
    at(pe).reads.clear();
  else
    remember_read(pe, said, uses);
  return 0;
}

void machine::get(int pe, const entry& said) {
  std::vector<std::byte> bytes;
  if (!copy(said.pe, said.from, bytes, false) || !copy(pe, said.to, bytes, true)) return;
  const footprint uses = uses_of(said, pe);
  add_program_event(pe, said, uses);
  events_.set_value(at(pe).last_event, bytes);
  remember_read(pe, said, uses);
}

// Waits, tests, and reads of one word.
std::uint64_t machine::ask(int pe, const entry& said) {
  std::uint64_t result = 0;
  if (said.what == step::read_word) {
    read(pe, said.from.address, std::as_writable_bytes(std::span(&result, 1)));
  }
  footprint uses = uses_of(said, pe);
  if (said.what == step::wait || said.what == step::test) condition_holds(pe, said, &result, &uses);
  add_program_event(pe, said, uses);
  std::array<std::byte, sizeof(std::uint64_t)> value;
  if (said.what != step::poll && said.from.bytes <= value.size() &&
      read(pe, said.from.address, {value.data(), said.from.bytes}))
    events_.set_value(at(pe).last_event, {value.data(), said.from.bytes});
  if (said.what == step::wait)
    at(pe).reads.clear();
  else
    remember_read(pe, said, uses);
  return result;
}

// `learning`: the uses of the step, which learn from the objects that fulfil it. Then it also writes the numbers of
// these to the PE.
bool machine::condition_holds(int pe, const entry& said, std::uint64_t* result, footprint* learning) {
  const explore_condition& c = said.condition;
  const std::vector<std::byte>& payload = at(pe).payload;
  const std::size_t values = c.value_stride == 0 ? c.bytes : c.n * c.value_stride;
  std::vector<std::byte> objects(c.n * c.bytes);
  if (!read(pe, said.from.address, objects)) return false;
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
    if (learning != nullptr) write(pe, reinterpret_cast<std::uint64_t>(c.indices), std::as_bytes(std::span(holding)));
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

void machine::quiet(int pe, const entry& said) {
  std::vector<std::size_t> follows;
  for (const operation& o : operations_)
    if (o.done && is_quieted(o, pe, said)) follows.push_back(o.done_at);
  add_program_event(pe, said, {}, follows);
  take_back(pe, said);
}

bool machine::all_met(const group_key& key) const {
  const auto found = meetings_.find(key);
  return found != meetings_.end() && (found->second.arrived & key.members) == key.members;
}

void machine::meet(int pe, const entry& said) {
  meeting& here = meetings_[said.group];
  // What each PE knew when it arrived.
  if (here.arrivals.empty())
    for (int i = 0; i < asked_.n_pes; ++i)
      if ((said.group.members >> i & 1) != 0) here.arrivals.push_back(at(i).last_event);
  add_program_event(pe, said, {}, here.arrivals);
  change_heap(pe, said);
  at(pe).reads.clear();
}

void machine::leave(int pe, const entry& said) {
  std::vector<std::size_t> follows;
  for (const std::size_t index : meetings_[said.group].operations)
    if (operations_[index].pe == pe && operations_[index].done) follows.push_back(operations_[index].done_at);
  for (const auto& [other, part] : meetings_[said.group].parts)
    if ((contributors(said, pe) >> other & 1) != 0) follows.push_back(part.arrived_at);
  add_program_event(pe, said, {}, follows);
  at(pe).reads.clear();
}

std::uint64_t machine::lock(int pe, const entry& said) {
  footprint uses = uses_of(said, pe);
  const std::uint64_t address = said.from.address;
  if (said.what == step::clear_lock) {
    const auto held = locks_.find(address);
    if (held == locks_.end() || held->second != pe)
      fail("wrong call", "PE " + std::to_string(pe) + " releases a lock that it does not hold", said.call.place);
    locks_.erase(address);
    add_program_event(pe, said, uses);
    return 0;
  }
  const bool taken = !locks_.contains(address);
  if (taken) locks_[address] = pe;
  if (!taken) uses.front().writes = uses.front().learns = false;
  add_program_event(pe, said, uses);
  if (taken)
    at(pe).reads.clear();
  else
    remember_read(pe, said, uses);
  return taken ? 0 : 1;
}

bool machine::can_go(int pe) {
  program& p = at(pe);
  const entry& said = *p.stopped;
  if (p.released) return true;
  if (is_repeating(pe, said)) return false;
  std::uint64_t result = 0;
  switch (said.what) {
    case step::wait: return condition_holds(pe, said, &result, nullptr);
    case step::atomic:
      return std::ranges::none_of(operations_, [&](const operation& o) {
        return !o.done && comes_before(o, pe, said.pe, said.ctx, p.epochs[said.ctx]);
      });
    case step::quiet:
      return std::ranges::none_of(operations_, [&](const operation& o) { return !o.done && is_quieted(o, pe, said); });
    case step::sync: return all_met(said.group);
    case step::leave:
      return std::ranges::none_of(meetings_[said.group].operations,
                                  [&](std::size_t i) { return operations_[i].pe == pe && !operations_[i].done; }) &&
             (contributors(said, pe) & ~meetings_[said.group].arrived) == 0;
    case step::set_lock: return !locks_.contains(said.from.address);
    case step::global_exit: return false;
    default: return true;
  }
}

}  // namespace explore
