#include "fft/choice/trial_pairs.hpp"

#include <algorithm>
#include <tuple>

#include "trials/trial_course.hpp"

namespace oshen::fft {
namespace {

std::vector<trial_pair> by_time(const estimate_table& seconds) {
  std::vector<trial_pair> all;
  for (std::size_t r = 0; r < seconds.size(); r++)
    for (std::size_t s = 0; s < seconds[r].size(); s++)
      if (seconds[r][s] >= 0) all.push_back({r, s, seconds[r][s]});
  std::ranges::sort(all, {}, [](const trial_pair& p) { return std::tuple(p.seconds, p.route, p.strategy); });
  return all;
}

}  // namespace

std::vector<trial_pair> trial_pairs(const estimate_table& seconds) {
  std::vector<trial_pair> left = by_time(seconds), chosen;
  if (left.empty()) return chosen;
  const trial_pair best = left.front();
  const auto take = [&](auto fits) {
    const auto next = std::ranges::find_if(left, fits);
    if (next == left.end() || chosen.size() == trials::most_candidates) return;
    chosen.push_back(*next);
    left.erase(next);
  };
  std::erase_if(left, [&](const trial_pair& p) { return p.seconds > trials::promising * best.seconds; });
  const auto any = [](const trial_pair&) { return true; };
  take(any);
  take([&](const trial_pair& p) { return p.route != best.route; });
  take([&](const trial_pair& p) { return p.route == best.route; });
  while (!left.empty() && chosen.size() < trials::most_candidates) take(any);
  return chosen;
}

}  // namespace oshen::fft
