// Pairs of a route and a strategy that are tried, and which of them stays, with times that are given instead of
// measured.
#include "fft/choice/trial_pairs.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "trials/trial_course.hpp"

namespace {

using namespace oshen;
using fft::estimate_table, fft::trial_pair, fft::trial_pairs;
using numbers = std::vector<std::size_t>;
using places = std::vector<numbers>;

places places_of(const std::vector<trial_pair>& pairs) {
  places all;
  for (const trial_pair& p : pairs) all.push_back({p.route, p.strategy});
  return all;
}

TEST(pairs_of_grid_and_strategy, another_route_and_another_strategy) {
  // Three strategies of the first route are estimated to be faster than any of the second.
  EXPECT_EQ(places_of(trial_pairs({{1.0, 1.1, 1.2}, {1.3, 1.5, 1.4}})), (places{{0, 0}, {1, 0}, {0, 1}}));
  EXPECT_EQ(places_of(trial_pairs({{1.4, 1.3, 1.5}, {1.2, 1.1, 1.0}})), (places{{1, 2}, {0, 1}, {1, 1}}));
  // Each route has its best strategy.
  EXPECT_EQ(places_of(trial_pairs({{1.0, 1.5}, {1.4, 1.2}, {1.3, 1.1}})), (places{{0, 0}, {2, 1}, {0, 1}}));
}

TEST(pairs_of_grid_and_strategy, what_is_missing_leaves_room) {
  EXPECT_EQ(places_of(trial_pairs({{1.0, 1.1, 1.2, 1.3}})), (places{{0, 0}, {0, 1}, {0, 2}}));
  EXPECT_EQ(places_of(trial_pairs({{1.2}, {1.0}, {1.1}})), (places{{1, 0}, {2, 0}, {0, 0}}));
  EXPECT_TRUE(trial_pairs({{-1.0}, {}}).empty());
}

TEST(pairs_of_grid_and_strategy, only_promising_ones) {
  EXPECT_EQ(places_of(trial_pairs({{1.0, 1.7, -1.0}, {1.61, 1.59}})), (places{{0, 0}, {1, 1}}));
  EXPECT_EQ(places_of(trial_pairs({{1.0, 2.0}, {3.0, 2.0}})), (places{{0, 0}}));
}

// The pair that stays when runs take `seconds`, by the same table.
trial_pair chosen(const estimate_table& estimates, const estimate_table& seconds, trials::trial_limit limit) {
  const std::vector<trial_pair> pairs = trial_pairs(estimates);
  std::vector<double> times;
  for (const trial_pair& p : pairs) times.push_back(p.seconds);
  trials::trial_course course(times, limit);
  do {
    const trial_pair& now = pairs[static_cast<std::size_t>(course.current())];
    const double run = seconds[now.route][now.strategy];
    course.finish_block(std::vector<double>(static_cast<std::size_t>(course.block_runs()), run), course.block_runs());
  } while (course.next() >= 0);
  return pairs[static_cast<std::size_t>(course.fastest())];
}

TEST(pairs_of_grid_and_strategy, times_decide_about_grid_and_strategy) {
  const estimate_table model{{1.0, 1.1, 1.2}, {1.3, 1.5, 1.4}};
  const auto stays = [&](const estimate_table& seconds, double limit = 1000) {
    const trial_pair p = chosen(model, seconds, {limit});
    return numbers{p.route, p.strategy};
  };
  EXPECT_EQ(stays({{1.0, 1.1, 1.2}, {1.3, 1.5, 1.4}}), (numbers{0, 0}));       // the model is right
  EXPECT_EQ(stays({{1.0, 1.1, 1.2}, {0.8, 1.5, 1.4}}), (numbers{1, 0}));       // about strategies, not about grids
  EXPECT_EQ(stays({{1.0, 0.7, 1.2}, {0.8, 1.5, 1.4}}), (numbers{0, 1}));       // about grids, not about strategies
  EXPECT_EQ(stays({{1.0, 0.7, 1.2}, {0.8, 1.5, 1.4}}, 0.1), (numbers{0, 0}));  // no time to find out
}

}  // namespace
