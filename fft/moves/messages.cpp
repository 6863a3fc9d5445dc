#include "fft/moves/make_plan.hpp"

namespace oshen::fft {
namespace {

// The message for the points `part` of the array `whole`. Axes are in the order of the receiver's memory.
oshen_message_t message(int peer, const box& part, const box& whole, const axes3& order, std::size_t element) {
  oshen_message_t m{};
  m.peer = peer;
  m.bytes = part.volume() * element;
  m.box.offset = static_cast<std::size_t>(whole.offset(part.low)) * element;
  m.box.element = element;
  const strides3 stride = whole.strides();
  for (std::size_t i = 0; i < 3; i++) {
    m.box.extent[i] = static_cast<std::size_t>(part.size[order[i]]);
    m.box.stride[i] = static_cast<std::size_t>(stride[order[i]]) * element;
  }
  return m;
}

}  // namespace

message_lists messages(const layout& from, const layout& to, int me, std::size_t element) {
  message_lists lists;
  const box &mine = from[static_cast<std::size_t>(me)], &wanted = to[static_cast<std::size_t>(me)];
  for (int r = 0; r < static_cast<int>(from.size()); r++) {
    const box& theirs = to[static_cast<std::size_t>(r)];
    const box out = overlap(mine, theirs);
    if (!out.empty()) lists.sends.push_back(message(r, out, mine, theirs.order, element));
    const box in = overlap(wanted, from[static_cast<std::size_t>(r)]);
    if (!in.empty()) lists.receives.push_back(message(r, in, wanted, wanted.order, element));
  }
  return lists;
}

}  // namespace oshen::fft
