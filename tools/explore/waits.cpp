// What the PEs that are stopped wait for.
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
std::string machine::condition_text(int pe, const entry& said) {
  const explore_condition& c = said.condition;
  if (c.n != 1 || c.bytes > sizeof(std::int64_t) || c.cmp < 0 || c.cmp >= static_cast<int>(comparisons.size()))
    return "";
  std::array<std::byte, sizeof(std::int64_t)> now{};
  const std::span<std::byte> object(now.data(), c.bytes);
  if (!read(pe, said.from.address, object)) return "";
  const std::span<const std::byte> wanted(at(pe).payload.data(), c.bytes);
  return comparisons[static_cast<std::size_t>(c.cmp)] + number_text(wanted) + "; it is " + number_text(object);
}

stopped_pe machine::stop_of(int pe) {
  const entry& said = *at(pe).stopped;
  stopped_pe one{pe, said.what, said.call, {}, ""};
  switch (said.what) {
    case step::wait:
    case step::test:
    case step::read_word:
    case step::set_lock:
    case step::test_lock:
      one.memory = memory_use{pe, said.from.address, said.from.address + said.from.bytes, false, 0};
      break;
    case step::poll: one.memory = memory_use{pe, said.to.address, said.to.address + said.to.bytes, false, 0}; break;
    default: break;
  }
  if (said.what == step::wait) one.why = condition_text(pe, said);
  if (said.what == step::set_lock && locks_.contains(said.from.address))
    one.why = ", which PE " + std::to_string(locks_[said.from.address]) + " holds";
  if (said.what == step::sync || said.what == step::leave)
    one.why = ": it waits for " + pes_text(said.group.members & ~meetings_[said.group].arrived);
  return one;
}

std::vector<stopped_pe> machine::stopped_pes() {
  std::vector<stopped_pe> all;
  for (int pe = 0; pe < asked_.n_pes; ++pe) {
    if (!at(pe).stopped) {
      all.push_back({pe, step::end, {}, {}, "has ended"});
    } else if (at(pe).stopped->call.place != nullptr && !can_go(pe)) {
      all.push_back(stop_of(pe));
    }
  }
  return all;
}

}  // namespace explore
