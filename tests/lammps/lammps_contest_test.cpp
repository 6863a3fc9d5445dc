// The contest of the accelerator's mode `best`, and the choices that it leaves.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lammps/contest.hpp"
#include "lammps/fft_choices.hpp"

namespace {

using oshen::lammps::contest;
using oshen::lammps::fft_choices;
using turn = contest::turn;

// A round after the first one.
void warm_round(contest& c, double ours, double theirs) {
  ASSERT_EQ(c.next(), turn::ours);
  c.ours_ran();
  ASSERT_EQ(c.next(), turn::theirs);
  c.finish_round(ours, theirs);
}

TEST(contest, is_over_at_once_if_the_cold_whole_fft_is_clearly_faster) {
  contest c;
  EXPECT_EQ(c.next(), turn::both);
  EXPECT_FALSE(c.decided());
  c.finish_round(1.9e-3, 3e-3);
  EXPECT_TRUE(c.decided() && c.takes_ours());
  EXPECT_EQ(c.text(), "whole FFT, 1.9 ms against 3 ms by LAMMPS");
}

TEST(contest, does_not_judge_a_slow_whole_fft_when_cold) {
  contest c;
  c.finish_round(50, 3);
  EXPECT_FALSE(c.decided());
  warm_round(c, 2, 2.5);
  EXPECT_FALSE(c.decided());
  warm_round(c, 2.2, 2.1);
  EXPECT_TRUE(c.decided());  // by the shortest times, 2 and 2.1: the cold ones do not count
  EXPECT_TRUE(c.takes_ours());
}

TEST(contest, runs_a_side_no_more_that_is_clearly_slower) {
  contest c;
  c.finish_round(50, 3);
  warm_round(c, 4.6, 3);
  EXPECT_TRUE(c.decided());
  EXPECT_FALSE(c.takes_ours());
  contest other;
  other.finish_round(3, 3);
  warm_round(other, 1.9, 3);
  EXPECT_TRUE(other.decided() && other.takes_ours());
}

TEST(contest, leaves_it_to_lammps_where_both_take_as_long) {
  contest c;
  c.finish_round(3, 3);
  warm_round(c, 2.95e-3, 3e-3);
  warm_round(c, 2.95e-3, 3.1e-3);
  EXPECT_TRUE(c.decided());
  EXPECT_FALSE(c.takes_ours());
  EXPECT_EQ(c.text(), "LAMMPS' FFT, 3 ms against 2.95 ms by Oshen");
}

TEST(fft_choices, are_kept_and_counted_by_kind) {
  fft_choices known;
  EXPECT_EQ(known.find("a"), nullptr);
  known.add("a", {true, OSHEN_FFT_SCALE_NONE, "FFT 8 x 8 x 8 forward: whole FFT"});
  known.add("b", {false, OSHEN_FFT_SCALE_FULL, "FFT 8 x 8 x 8 backward: LAMMPS' FFT"});
  known.count("a");
  ASSERT_NE(known.find("b"), nullptr);
  EXPECT_TRUE(known.find("a")->ours && !known.find("b")->ours && known.find("b")->scale == OSHEN_FFT_SCALE_FULL);
  known.add("b", {true, OSHEN_FFT_SCALE_FULL, "FFT 8 x 8 x 8 backward: whole FFT"});
  const std::vector<std::string> lines{"FFT 8 x 8 x 8 forward: whole FFT (2 plans)",
                                       "FFT 8 x 8 x 8 backward: whole FFT (2 plans)"};
  EXPECT_EQ(known.lines(), lines);
}

}  // namespace
