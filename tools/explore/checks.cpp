// What is wrong with a step by itself, whatever comes of it: races, freed memory, buffers of operations in flight.
#include <algorithm>
#include <string>
#include <utility>

#include "machine.hpp"

namespace explore {
namespace {

constexpr std::uint64_t flag_granule = 4;  // the smallest object of an atomic

bool overlaps(const memory_use& use, const blocks& memory) {
  for (std::size_t i = 0; i < memory.n; ++i) {
    const std::uint64_t begin = memory.address + i * static_cast<std::uint64_t>(memory.stride);
    if (use.begin < begin + memory.bytes && use.end > begin) return true;
  }
  return false;
}

bool may_race(const event& a, const event& b) {
  return std::ranges::any_of(a.uses, [&](const memory_use& one) {
    return std::ranges::any_of(b.uses, [&](const memory_use& other) { return can_race(one, other); });
  });
}

// "PE 1 load"
std::string name_of(const event& e) {
  const bool loads = e.said.what == step::load || e.said.what == step::poll;
  const char* what = loads ? "load" : e.said.what == step::store ? "store" : e.said.call.routine;
  return name_of(actor{e.who.pe, e.who.thread}) + ' ' + what;
}

template <class Use>
void each_flag(const memory_use& memory, Use use) {
  for (std::uint64_t g = memory.begin / flag_granule; g * flag_granule < memory.end; ++g) use(std::pair(memory.pe, g));
}

}  // namespace

// A non-blocking operation uses its buffer until a quiet. Until then its PE may not write a source, nor access a dest.
void machine::check_lent(const event& e) {
  const int pe = e.who.pe;
  for (const std::size_t index : of(pe).lent) {
    const operation& o = operations_[index];
    const bool is_source = o.what == stage::reads;
    for (const memory_use& use : e.uses) {
      if (use.pe != pe || (is_source && !use.writes) || !overlaps(use, o.memory)) continue;
      const char* routine = o.said.call.routine;
      return fail("memory used too early",
                  name_of(e.who) + (use.writes ? " writes" : " reads") + " the " + (is_source ? "source" : "dest") +
                      " of its " + routine + " before a quiet",
                  e.said.call.place);
    }
  }
}

// Calls of two threads at the same time, in a program that asked for SHMEM_THREAD_SERIALIZED.
void machine::check_alone(std::size_t index, const knowledge& before) {
  const event& e = events_[index];
  if (!e.said.alone) return;
  for (const actor& other : threads_) {
    const std::size_t last = at(other).last_call;
    if (other == e.who || other.pe != e.who.pe || last == event::none) continue;
    if (before.steps_of(other.slot()) > events_[last].position) continue;
    fail("wrong call",
         name_of(events_[last]) + " and " + name_of(e) +
             ": nothing orders these calls, and the program asked for SHMEM_THREAD_SERIALIZED",
         e.said.call.place);
  }
  at(e.who).last_call = index;
}

// ---- freed memory

// A barrier of shmem_malloc, shmem_realloc or shmem_free has ended on this PE.
void machine::change_heap(int pe, const entry& said) {
  std::vector<freed_block>& freed = of(pe).freed;
  const std::uint64_t begin = said.to.address, end = begin + said.to.bytes;
  if (said.to.bytes > 0) {
    std::vector<freed_block> left;
    for (const freed_block& old : freed) {
      if (old.begin < begin) left.push_back({old.begin, std::min(begin, old.end), old.place});
      if (old.end > end) left.push_back({std::max(end, old.begin), old.end, old.place});
    }
    freed = std::move(left);
  }
  if (said.from.bytes > 0) freed.push_back({said.from.address, said.from.address + said.from.bytes, said.call.place});
}

void machine::check_freed(const event& e) {
  if (end_.how != ending::result::none) return;
  for (const memory_use& use : e.uses)
    for (const int pe : {use.pe, e.who.pe}) {
      if (!is_memory(use.pe)) continue;
      const std::vector<freed_block>& freed = of(pe).freed;
      const auto block =
          std::ranges::find_if(freed, [&](const freed_block& b) { return b.begin < use.end && b.end > use.begin; });
      if (block == freed.end()) continue;
      fail("freed memory", name_of(e) + " uses memory of PE " + std::to_string(use.pe) + " after shmem_free",
           e.said.call.place);
      end_.freed_at = block->place;
      return;
    }
}

// ---- races, by the rules of the race detector (docs/design/races.md): what a flag has told, its reader learns

known machine::learnt(const known& ordered, const footprint& uses) const {
  std::shared_ptr<knowledge> more;
  for (const memory_use& use : uses) {
    if (!use.learns) continue;
    each_flag(use, [&](const auto& flag) {
      const auto told = told_.find(flag);
      if (told == told_.end()) return;
      if (!more) more = std::make_shared<knowledge>(*ordered);
      more->join(*told->second);
    });
  }
  return more ? more : ordered;
}

void machine::tell(std::size_t index) {
  if (!asked_.races) return;
  const event& e = events_[index];
  for (const memory_use& use : e.uses) {
    if (!use.tells) continue;
    each_flag(use, [&](const auto& flag) {
      known& told = told_[flag];
      auto more = told ? std::make_shared<knowledge>(*told) : std::make_shared<knowledge>();
      join(*more, e, &event::ordered);
      told = more;
    });
  }
}

// The call that completes an operation, if the other event follows its start. nullptr: it does not follow.
const char* machine::completion_of(const event& late, const event& other) const {
  if (late.operation == event::none || operations_[late.operation].meeting) return nullptr;
  if (!is_ordered(events_[operations_[late.operation].started], other)) return nullptr;
  if (late.who.pe != other.who.pe) return "needs a quiet, or a fence before a flag to the same PE";
  const bool both_fenced =
      other.operation != event::none && operations_[late.operation].ordered && operations_[other.operation].ordered;
  return both_fenced ? "needs a fence between them" : "needs a quiet between them";
}

namespace {

// The object of both accesses, if an atomic operation could make each of them.
bool is_one_object(const memory_use& a, const memory_use& b) {
  const std::uint64_t bytes = a.end - a.begin;
  return a.pe == b.pe && a.begin == b.begin && a.end == b.end && (bytes == 4 || bytes == 8);
}

std::string atomic_form(const event& e, const memory_use& use) {
  return name_of(e) + (use.how == access::atomic ? "" : use.writes ? ": shmem_atomic_set" : ": shmem_atomic_fetch");
}

// A cure for two accesses, neither of which is an operation that the other event follows.
std::string cure_of(const event& a, const event& b) {
  const bool in_one_pe = a.who.pe == b.who.pe && a.who.is_program() && b.who.is_program();
  if (in_one_pe) return "order the threads with a mutex, a barrier or a join, or use an atomic type of the language";
  const std::string order = "order them with a flag and a wait, a lock or a barrier";
  for (const memory_use& one : a.uses)
    for (const memory_use& other : b.uses)
      if (can_race(one, other) && is_one_object(one, other))
        return "make both atomic (" + atomic_form(a, one) + "; " + atomic_form(b, other) + "), or " + order;
  return order;
}

}  // namespace

std::string machine::missing_between(const event& a, const event& b) const {
  for (const auto& [late, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (const char* needs = completion_of(*late, *other)) return "PE " + std::to_string(late->who.pe) + ' ' + needs;
  return "nothing orders them: " + cure_of(a, b);
}

void machine::check_races(std::size_t index, const std::vector<std::size_t>& conflicts) {
  if (!asked_.races || end_.how != ending::result::none) return;
  const event& now = events_[index];
  for (const std::size_t earlier : conflicts) {
    const event& before = events_[earlier];
    if (is_ordered(before, now) || !may_race(before, now)) continue;
    fail(race, name_of(before) + " and " + name_of(now) + ": " + missing_between(before, now));
    end_.racing = std::pair(earlier, index);
    return;
  }
}

}  // namespace explore
