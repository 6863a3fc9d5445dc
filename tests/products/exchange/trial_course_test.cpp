// The order of trials, with times that are given instead of measured.
#include "exchange/trial_course.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace oshen::exchange;

// Runs trials of candidates that take these times. Returns the candidate of every block.
std::vector<int> blocks_of(trial_course& course, const std::vector<double>& seconds) {
  std::vector<int> used;
  do {
    const auto now = static_cast<std::size_t>(course.current());
    used.push_back(course.current());
    course.finish_block(std::vector<double>(static_cast<std::size_t>(course.block_runs()) - 1, seconds[now]),
                        course.block_runs());
  } while (course.next() >= 0);
  return used;
}

TEST(trial_course, two_rounds_and_the_fastest) {
  trial_course course({1, 1.1, 1.2}, {1000});
  EXPECT_EQ(course.block_runs(), 2);
  EXPECT_EQ(blocks_of(course, {1, 0.8, 0.9}), (std::vector<int>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(course.fastest(), 1);
  EXPECT_TRUE(course.compared());
  EXPECT_NEAR(course.lost(), 4 * 0.2 + 4 * 0.1, 1e-12);
}

TEST(trial_course, tells_when_each_candidate_has_had_a_block) {
  trial_course course({1, 1.1}, {1000});
  EXPECT_FALSE(course.had_each());
  course.finish_block({1}, 2);
  EXPECT_FALSE(course.had_each());
  EXPECT_EQ(course.next(), 1);
  course.finish_block({0.8}, 2);
  EXPECT_TRUE(course.had_each());
  trial_course limited({1, 1.4, 1.5}, {0.9});  // the third one would lose too much
  limited.finish_block({1}, 2);
  EXPECT_EQ(limited.next(), 1);
  EXPECT_FALSE(limited.had_each());
  limited.finish_block({1.4}, 2);
  EXPECT_EQ(limited.next(), -1);
  EXPECT_TRUE(limited.had_each());
}

TEST(trial_course, a_gain_within_the_noise_changes_nothing) {
  trial_course course({1, 1}, {1000});
  blocks_of(course, {1, 0.95});
  EXPECT_EQ(course.fastest(), 0);
}

TEST(trial_course, a_hopeless_candidate_is_tried_once) {
  trial_course course({1, 1, 1}, {1000});
  EXPECT_EQ(blocks_of(course, {1, 2, 1.2}), (std::vector<int>{0, 1, 2, 0, 2}));
}

TEST(trial_course, the_limit_in_seconds) {
  trial_course course({1, 1.5}, {0.9});  // a block of two runs would lose 1 s
  EXPECT_EQ(blocks_of(course, {1, 1.5}), (std::vector<int>{0}));
  EXPECT_FALSE(course.compared());
  EXPECT_EQ(course.lost(), 0);
  trial_course before({1, 1.4}, {0.9}, 0.5);  // planning has lost some already
  EXPECT_EQ(blocks_of(before, {1, 1.4}), (std::vector<int>{0}));
  EXPECT_EQ(before.lost(), 0.5);
}

TEST(trial_course, the_share_of_the_expected_runs) {
  // Two runs may lose 0.8 s: 2 % of 40 runs of one second, but not of 30.
  trial_course few({1, 1.4}, {1000, 30}), many({1, 1.4}, {1000, 41});
  EXPECT_EQ(blocks_of(few, {1, 1.4}), (std::vector<int>{0}));
  EXPECT_EQ(blocks_of(many, {1, 1.4}), (std::vector<int>{0, 1}));
  // The limit follows the times that are measured: the same ratios with runs of 1 ms.
  trial_course faster({1, 1.4}, {1000, 41});
  EXPECT_EQ(blocks_of(faster, {1e-3, 1.4e-3}), (std::vector<int>{0, 1}));
  EXPECT_LE(faster.lost(), 0.02 * 41 * 1e-3);
}

TEST(trial_course, short_runs_are_repeated) {
  EXPECT_EQ(trial_course::runs_of(1e-6), most_block_runs);
  EXPECT_EQ(trial_course::runs_of(100e-6), 5);
  EXPECT_EQ(trial_course::runs_of(0.1), 2);
}

}  // namespace
