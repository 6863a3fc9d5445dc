// The pairs of a route and a strategy that the first runs try, where exchange plans move the data. Arithmetic only.
#pragma once

#include <cstddef>
#include <vector>

namespace oshen::fft {

// Seconds of a transform by route, then by strategy; negative: the strategy cannot be used.
using estimate_table = std::vector<std::vector<double>>;

struct trial_pair {
  std::size_t route, strategy;
  double seconds;  // estimated
};

// The best pair first. Then those that say most about the others: the best one with another route, which has another
// process grid, and the best one with another strategy on the first route. Then the next best ones. Pairs that are not
// promising (trials/trial_course.hpp) are left out, and empty if no strategy can be used.
std::vector<trial_pair> trial_pairs(const estimate_table& seconds);

}  // namespace oshen::fft
