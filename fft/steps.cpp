#include "steps.hpp"

namespace oshen::fft {
namespace {

bool keeps_elements(const stage& s) {
  return s.real_before == s.real_after;
}

}  // namespace

std::vector<step> steps_of(const route& way) {
  const auto n = static_cast<std::size_t>(way.exchanges());
  std::vector<step> steps(n, step::move);
  const layout& out = way.stages.back().after;
  for (std::size_t e = n; e-- > 0;) {
    const stage &from = way.stages[e], &to = way.stages[e + 1];
    const bool rest_there = e + 1 == n || steps[e + 1] == step::to_output;
    if (!is_local(from, to) || !rest_there || !keeps_elements(to)) break;
    if (!same_places(to.before, out)) break;
    steps[e] = step::to_output;
  }
  for (std::size_t e = 1; e < n; e++) {
    const stage &from = way.stages[e], &to = way.stages[e + 1];
    const bool in_place =
        is_local(from, to) && keeps_elements(from) && same_places(from.before, to.before);
    if (steps[e] == step::move && in_place) steps[e] = step::stay;
  }
  return steps;
}

bool needs_input_apart(const route& way) {
  const std::vector<step> steps = steps_of(way);
  if (!steps.empty() && steps[0] != step::to_output) return false;
  const stage& first = way.stages[0];
  const layout& target = way.exchanges() == 0 ? first.after : way.stages[1].before;
  return !keeps_elements(first) || !same_places(first.before, target);
}

}  // namespace oshen::fft
