// What the threads that are stopped wait for.
#include <array>
#include <bit>
#include <cstring>

#include "machine.hpp"

namespace explore {
namespace {

constexpr std::array<const char*, 6> comparisons{" == ", " != ", " < ", " <= ", " > ", " >= "};

std::string number_text(std::span<const std::byte> bytes) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  if (bytes.size() == sizeof(std::int32_t)) value = static_cast<std::int32_t>(value);
  return std::to_string(value);
}

std::string pes_text(std::uint32_t mask) {
  std::string text;
  for (int pe = 0; pe < most_pes; ++pe)
    if ((mask >> pe & 1) != 0) text += (text.empty() ? "PE " : ", ") + std::to_string(pe);
  return text;
}

}  // namespace

// " == 1; it is 0", of one object.
std::string machine::condition_text(const actor& who, const entry& said) {
  const explore_condition& c = said.condition;
  if (c.n != 1 || c.bytes > sizeof(std::int64_t) || c.cmp < 0 || c.cmp >= static_cast<int>(comparisons.size()))
    return "";
  std::array<std::byte, sizeof(std::int64_t)> now{};
  const std::span<std::byte> object(now.data(), c.bytes);
  if (!read(who.pe, said.from.address, object)) return "";
  const std::span<const std::byte> wanted(at(who).payload.data(), c.bytes);
  return comparisons[static_cast<std::size_t>(c.cmp)] + number_text(wanted) + "; it is " + number_text(object);
}

// ", which PE 1 holds", of a lock.
std::string machine::lock_text(const actor& who, const entry& said) const {
  const auto held = locks_.find(object_of(who, said));
  if (held == locks_.end()) return "";
  std::string names;
  for (const actor& owner : held->second.owners) names += (names.empty() ? "" : " and ") + name_of(owner);
  return ", which " + names + (held->second.owners.size() == 1 ? " holds" : " hold");
}

stopped_program machine::stop_of(const actor& who) {
  const entry& said = *at(who).stopped;
  stopped_program one{who, said.what, said.call, {}, ""};
  switch (said.what) {
    case step::wait:
    case step::test:
    case step::read_word:
    case step::set_lock:
    case step::test_lock:
    case step::awake:
    case step::part_threads:
    case step::take:
      one.memory = memory_use{who.pe, said.from.address, said.from.address + said.from.bytes, false, 0};
      break;
    case step::poll: one.memory = memory_use{who.pe, said.to.address, said.to.address + said.to.bytes, false, 0}; break;
    default: break;
  }
  if (said.what == step::wait) one.why = condition_text(who, said);
  if (said.what == step::set_lock) one.why = lock_text(who, said);
  if (said.what == step::sync || said.what == step::leave)
    one.why = ": it waits for " + pes_text(said.group.members & ~meetings_[said.group].arrived);
  if (said.what == step::join) one.why = ": it waits for " + name_of({who.pe, said.thread});
  return one;
}

std::vector<stopped_program> machine::stopped_programs() {
  std::vector<stopped_program> all;
  for (const actor& who : threads_) {
    if (!at(who).stopped) {
      if (who.thread == 0) all.push_back({who, step::end, {}, {}, "has ended"});
    } else if (at(who).stopped->call.place != nullptr && !can_go(who)) {
      all.push_back(stop_of(who));
    }
  }
  return all;
}

}  // namespace explore
