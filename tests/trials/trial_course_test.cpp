// The order of trials, with times that are given instead of measured.
#include "trials/trial_course.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "trials/trial_store.hpp"

namespace {

using namespace oshen::trials;

// Runs one block. `warming`: by which its first run takes longer than the others.
int run_block(trial_course& course, double seconds, double warming = 0) {
  std::vector<double> runs(static_cast<std::size_t>(course.block_runs()), seconds);
  runs[0] += warming;
  course.finish_block(runs, course.block_runs());
  return course.next();
}

// Runs trials of candidates that take these times. Returns the candidate of every block that compares them.
std::vector<int> blocks_of(trial_course& course, const std::vector<double>& seconds) {
  std::vector<int> used;
  do {
    if (!course.is_waiting()) used.push_back(course.current());
  } while (run_block(course, seconds[static_cast<std::size_t>(course.current())]) >= 0);
  return used;
}

TEST(trial_course, two_rounds_and_the_fastest) {
  trial_course course({1, 1.01, 1.02}, {1000});
  EXPECT_EQ(course.block_runs(), 2);
  EXPECT_EQ(blocks_of(course, {1, 0.8, 0.9}), (std::vector<int>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(course.fastest(), 1);
  EXPECT_TRUE(course.compared());
  EXPECT_NEAR(course.lost(), 4 * 0.2 + 4 * 0.1, 1e-12);
}

TEST(trial_course, tells_when_each_candidate_has_had_a_block) {
  trial_course course({1e-4, 1.01e-4}, {1000});
  EXPECT_FALSE(course.had_each());
  EXPECT_EQ(run_block(course, 1e-4), 1);
  EXPECT_FALSE(course.had_each());
  run_block(course, 0.8e-4);
  EXPECT_TRUE(course.had_each());
  trial_course limited({1, 1.4, 1.5}, {0.9, 1000});  // the third one would lose too much
  EXPECT_EQ(run_block(limited, 1), 1);
  EXPECT_FALSE(limited.had_each());
  EXPECT_EQ(run_block(limited, 1.4), -1);
  EXPECT_TRUE(limited.had_each());
}

// A program may end after any run, as one step of LAMMPS on a large mesh does.
TEST(trial_course, a_program_of_few_runs_tries_nothing_slower) {
  trial_course course({1, 1.3}, {1000});
  int runs = 0;
  do {
    runs += course.block_runs();
  } while (run_block(course, 1) == 0);
  EXPECT_EQ(runs, 32);  // two runs lose 0.6 s, and warming may take another second: a twentieth of 32 s
  EXPECT_EQ(course.current(), 1);
}

TEST(trial_course, new_candidates_warm_memory_too) {
  trial_course course({1, 1}, {1000});
  int runs = course.block_runs();
  for (int next = run_block(course, 1, 2); next == 0; next = run_block(course, 1)) runs += course.block_runs();
  EXPECT_EQ(runs, 38);  // they and the warming of the first run took 40 s, and 2 s are a twentieth of that
}

TEST(trial_course, short_runs_do_not_wait) {
  trial_course course({1e-4, 1.5e-4}, {1000});
  EXPECT_EQ(run_block(course, 1e-4, 5e-4), 1);  // costs 0.75 ms
}

TEST(trial_course, waiting_loses_nothing) {
  trial_course course({1, 1.3}, {1000});
  while (run_block(course, 1) == 0) EXPECT_TRUE(course.is_waiting());
  EXPECT_FALSE(course.is_waiting());
  run_block(course, 0.5);
  EXPECT_DOUBLE_EQ(course.lost(), 2 * 0.5);  // by the first block, not by those that waited
}

TEST(trial_course, what_a_candidate_gains_pays_for_others) {
  trial_course course({1, 1.01, 1.5}, {1000});
  while (run_block(course, 1) == 0) EXPECT_TRUE(course.is_waiting());
  EXPECT_EQ(run_block(course, 0.4), 2);  // may cost 0.8 s, and 1.2 s are saved
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

TEST(trial_course, a_block_that_is_slower_than_estimated_exceeds_the_limit_and_is_the_last) {
  trial_course course({1, 1.1}, {0.5});
  EXPECT_EQ(blocks_of(course, {1, 3}), (std::vector<int>{0, 1}));
  EXPECT_NEAR(course.lost(), 2 * (3 - 1), 1e-12);
  EXPECT_EQ(course.fastest(), 0);
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

// A program makes many plans before it runs any of them, as LAMMPS does.
TEST(trial_share, courses_at_the_same_time_lose_no_more_than_the_limit) {
  setenv("OSHEN_EXCHANGE_TRIALS", "200", 1);
  std::vector<std::unique_ptr<trial_share>> shares;
  std::vector<trial_course> courses;
  for (int plan = 0; plan < 13; plan++) {
    const double seconds = oshen_trials_remaining() / 8;
    shares.push_back(std::make_unique<trial_share>(seconds));
    courses.push_back(trial_course({1, 1.4}, {seconds, 1'000'000}));
  }
  double lost = 0;
  for (trial_course& course : courses) {
    blocks_of(course, {10e-3, 14e-3});  // two blocks of the second one lose 16 ms
    lost += course.lost();
  }
  EXPECT_GT(lost, 0.05);
  EXPECT_LE(lost, 0.2);
  shares.clear();
  EXPECT_NEAR(oshen_trials_remaining(), 0.2, 1e-12);
  oshen_trials_lose(0.05);
  EXPECT_NEAR(oshen_trials_remaining(), 0.15, 1e-12);
  unsetenv("OSHEN_EXCHANGE_TRIALS");
}

}  // namespace
