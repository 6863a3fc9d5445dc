// Locks, and what threads of a PE synchronise with: mutexes, condition variables, barriers, semaphores, creation, join.
#include <algorithm>
#include <utility>

#include "machine.hpp"

namespace explore {
namespace {

constexpr std::uint64_t successful = 0, refused = 1;

}  // namespace

machine::place_of_object machine::object_of(const actor& who, const entry& said) {
  return {said.of_threads ? thread_space(who.pe) : lock_space, said.from.address};
}

// A lock or a semaphore, as one byte.
footprint machine::uses_of_object(const actor& who, const entry& said) {
  const auto [space, address] = object_of(who, said);
  const bool releases = said.what == step::clear_lock;
  return {{space, address, address + 1, !said.shared, 0, access::plain, !releases, releases}};
}

bool machine::can_go_of_threads(const actor& who, const entry& said) const {
  const place_of_object object = object_of(who, said);
  switch (said.what) {
    case step::set_lock: return is_free(who, said);
    case step::join: return !at({who.pe, said.thread}).stopped;
    case step::awake: return signal_for(who, object) != nullptr;
    case step::part_threads: return barriers_.at(object).arrivals[at(who).round].size() == said.count;
    case step::take: {
      const auto count = counts_.find(object);
      return (count == counts_.end() ? said.count : count->second) > 0;
    }
    default: return true;
  }
}

std::uint64_t machine::carry_out_of_threads(const actor& who, const entry& said) {
  switch (said.what) {
    case step::set_lock:
    case step::test_lock: return lock(who, said);
    case step::clear_lock: unlock(who, said); return 0;
    case step::create:
      // The order of two creations decides about the numbers of the threads.
      add_program_event(who, said, {{thread_space(who.pe), 0, 1, true, 0}});
      return 0;
    case step::join: add_program_event(who, said, {}, {at({who.pe, said.thread}).last_event}); return 0;
    case step::sleep: sleep(who, said); return 0;
    case step::awake: return awake(who, said);
    case step::notify: notify(who, said); return 0;
    case step::set_up: set_up(who, said); return 0;
    case step::meet_threads: meet_threads(who, said); return 0;
    case step::part_threads: return part_threads(who, said);
    case step::post:
    case step::take:
    case step::try_take: return count(who, said);
    default: add_program_event(who, said, {}); return 0;
  }
}

// The thread that `creator` has created is stopped before its first step.
void machine::begin_thread(const actor& creator, const entry& said) {
  const actor made{creator.pe, said.thread};
  programs_.resize(std::max(programs_.size(), made.slot() + 1));
  const std::vector<std::size_t> creation{at(creator).last_event};
  program& p = at(made);
  p.knows = joined(p.knows, creation, &event::before);
  p.ordered = joined(p.ordered, creation, &event::ordered);
  threads_.push_back(made);
  if (wait_for_stop(made, 0)) take_stop(made);
}

// ---- locks and mutexes

bool machine::is_free(const actor& who, const entry& said) const {
  const auto held = locks_.find(object_of(who, said));
  return held == locks_.end() || (said.shared && held->second.shared);
}

std::uint64_t machine::lock(const actor& who, const entry& said) {
  footprint uses = uses_of_object(who, said);
  const bool is_taken = is_free(who, said);
  if (is_taken) {
    held_lock& held = locks_[object_of(who, said)];
    held.owners.push_back(who);
    held.shared = said.shared;
  } else {
    uses.front().writes = uses.front().learns = false;
  }
  add_program_event(who, said, uses);
  if (is_taken)
    at(who).reads.clear();
  else
    remember_read(who, said, uses);
  return is_taken ? successful : refused;
}

// A lock of OpenSHMEM belongs to a PE. Returns whether it was shared.
bool machine::release_lock(const actor& who, const entry& said, const place_of_object& object) {
  const auto held = locks_.find(object);
  const auto is_owner = [&](const actor& a) { return said.of_threads ? a == who : a.pe == who.pe; };
  if (held == locks_.end() || std::ranges::none_of(held->second.owners, is_owner)) {
    const char* const what = said.of_threads ? "mutex" : "lock";
    fail("wrong call", name_of(who) + " releases a " + what + " that it does not hold", said.call.place);
    return false;
  }
  std::vector<actor>& owners = held->second.owners;
  owners.erase(std::ranges::find_if(owners, is_owner));
  const bool shared = held->second.shared;
  if (owners.empty()) locks_.erase(held);
  return shared;
}

void machine::unlock(const actor& who, const entry& said) {
  footprint uses = uses_of_object(who, said);
  uses.front().writes = !release_lock(who, said, object_of(who, said));
  add_program_event(who, said, uses);
}

// ---- condition variables

// It releases the mutex and sleeps in one step.
void machine::sleep(const actor& who, const entry& said) {
  const place_of_object condition = object_of(who, said);
  release_lock(who, said, {condition.first, said.object});
  sleepers_[condition].insert(who);
  add_program_event(who, said,
                    {{condition.first, condition.second, condition.second + 1, true, 0},
                     {condition.first, said.object, said.object + 1, true, 0, access::plain, false, true}});
  at(who).reads.clear();
}

// A broadcast rather than a signal, which another thread may need.
const machine::signal_of_threads* machine::signal_for(const actor& who, const place_of_object& condition) const {
  const signal_of_threads* found = nullptr;
  const auto signals = signals_.find(condition);
  if (signals == signals_.end()) return nullptr;
  for (const signal_of_threads& one : signals->second)
    if (one.waiters.contains(who) && (found == nullptr || one.all)) found = &one;
  return found;
}

// A signal is used up; a broadcast wakes each of its waiters.
std::uint64_t machine::awake(const actor& who, const entry& said) {
  const place_of_object condition = object_of(who, said);
  std::vector<signal_of_threads>& signals = signals_[condition];
  const signal_of_threads* mine = signal_for(who, condition);
  const bool is_in_time = mine != nullptr, all = is_in_time && mine->all;
  if (is_in_time && !all) signals.erase(signals.begin() + (mine - signals.data()));
  for (signal_of_threads& one : signals) one.waiters.erase(who);
  std::erase_if(signals, [](const signal_of_threads& one) { return one.waiters.empty(); });
  sleepers_[condition].erase(who);
  // Threads that a broadcast wakes may go in any order.
  add_program_event(who, said, {{condition.first, condition.second, condition.second + 1, !all, 0}});
  return is_in_time ? successful : refused;
}

void machine::notify(const actor& who, const entry& said) {
  const place_of_object condition = object_of(who, said);
  const std::set<actor>& waiters = sleepers_[condition];
  const auto n = static_cast<std::uint32_t>(waiters.size());
  if (n > 0) signals_[condition].push_back({waiters, said.all});
  add_program_event(who, said, {{condition.first, condition.second, condition.second + 1, true, 0}});
  events_.set_value(at(who).last_event, std::as_bytes(std::span(&n, 1)));
}

// ---- barriers and semaphores

// pthread_barrier_init or sem_init: nothing is left of an earlier object at this address.
void machine::set_up(const actor& who, const entry& said) {
  const place_of_object object = object_of(who, said);
  barriers_.erase(object);
  counts_[object] = said.count;
  add_program_event(who, said, {{object.first, object.second, object.second + 1, true, 0}});
}

// Arrivals in one round may change places.
void machine::meet_threads(const actor& who, const entry& said) {
  const auto [space, address] = object_of(who, said);
  auto& arrivals = barriers_[{space, address}].arrivals;
  if (arrivals.empty() || arrivals.back().size() == said.count) arrivals.emplace_back();
  at(who).round = arrivals.size() - 1;
  add_program_event(who, said, {{space, address, address + 1, true, static_cast<int>(arrivals.size())}});
  arrivals.back().push_back(at(who).last_event);
}

// The first thread that leaves is told so.
std::uint64_t machine::part_threads(const actor& who, const entry& said) {
  const auto [space, address] = object_of(who, said);
  thread_barrier& here = barriers_[{space, address}];
  const bool is_first = here.parted.insert(at(who).round).second;
  constexpr std::uint64_t other_granule = 8;
  const std::uint64_t at_first = address + other_granule;
  add_program_event(who, said, {{space, at_first, at_first + 1, is_first, 0}}, here.arrivals[at(who).round]);
  at(who).reads.clear();
  return is_first ? successful : refused;
}

// A semaphore.
std::uint64_t machine::count(const actor& who, const entry& said) {
  const auto [space, address] = object_of(who, said);
  std::uint32_t& n = counts_.try_emplace({space, address}, said.count).first->second;
  const bool posts = said.what == step::post, succeeds = posts || n > 0;
  if (succeeds) n = posts ? n + 1 : n - 1;
  const footprint uses{
      {space, address, address + 1, succeeds, posts ? 1 : 0, access::plain, succeeds && !posts, posts}};
  add_program_event(who, said, uses);
  if (succeeds)
    at(who).reads.clear();
  else
    remember_read(who, said, uses);
  return succeeds ? successful : refused;
}

}  // namespace explore
