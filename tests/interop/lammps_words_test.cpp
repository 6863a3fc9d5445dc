// The texts that the accelerator reads and prints: modes, strategies, the banner and the report.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lammps/mode.hpp"
#include "lammps/report.hpp"
#include "lammps/strategy_cache.hpp"

namespace {

using oshen::lammps::advice;
using oshen::lammps::banner;
using oshen::lammps::counters;
using oshen::lammps::json;
using oshen::lammps::run_mode;
using oshen::lammps::strategy_cache;

const std::vector<std::string> strategies{"bulk_barrier", "put_signal"};

std::string wrong(const char* words) {
  run_mode m;
  return oshen::lammps::parse(words, strategies, m);
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(run_mode, words_and_names) {
  const char* const pairs[][2] = {{"", "auto"},
                                  {"on", "auto"},
                                  {"off", "off"},
                                  {"check", "auto,check"},
                                  {"stats,put_signal", "put_signal,stats"},
                                  {"fft,check,stats", "auto,fft,check,stats"}};
  for (const auto& [words, name] : pairs) {
    run_mode m;
    EXPECT_EQ(oshen::lammps::parse(words, strategies, m), "") << words;
    EXPECT_EQ(oshen::lammps::name(m), name);
    run_mode again;  // a name is made of words
    EXPECT_EQ(oshen::lammps::parse(name, strategies, again), "");
    EXPECT_EQ(oshen::lammps::name(again), name);
  }
  run_mode m;
  EXPECT_EQ(oshen::lammps::parse(nullptr, strategies, m), "");
  EXPECT_TRUE(m.carries && !m.transforms && !m.checks && !m.stats);
}

TEST(run_mode, what_is_wrong_is_said) {
  EXPECT_TRUE(has(wrong("ON"), "'ON' is not one of on, off, check, stats, fft, auto, bulk_barrier"));
  EXPECT_TRUE(has(wrong("fft,,check"), "'' is not one of"));
  EXPECT_TRUE(has(wrong("off,fft"), "'off' leaves all to LAMMPS"));
  EXPECT_TRUE(has(wrong("put_signal,off"), "'off' leaves all to LAMMPS"));
  EXPECT_EQ(wrong("off,stats"), "");
}

TEST(refusal_reasons, each_is_new_once_and_counted) {
  oshen::lammps::refusal_reasons why;
  EXPECT_EQ(why.text(), "");
  EXPECT_TRUE(why.add("not enough memory"));
  EXPECT_FALSE(why.add("not enough memory"));
  EXPECT_TRUE(why.add("other scale"));
  EXPECT_EQ(why.text(), "not enough memory (2); other scale (1)");
}

TEST(strategy_cache, measure_once_for_each_kind_and_not_for_ever) {
  strategy_cache c;
  EXPECT_EQ(c.find("a"), "auto");
  c.remember("a", "get");
  EXPECT_EQ(c.find("a"), "get");
  EXPECT_EQ(c.find("b"), "auto");
  for (int i = 0; i < 100; i++) {
    const std::string kind = "cut " + std::to_string(i);
    const std::string chosen = c.find(kind);
    c.remember(kind, chosen == "auto" ? "put_signal" : chosen);
  }
  EXPECT_EQ(c.find("a"), "get");
  EXPECT_EQ(c.find("never seen"), "put_signal");
  EXPECT_EQ(c.used().at("put_signal"), 100u);
}

TEST(strategy_cache, the_most_frequent_and_of_equals_the_last_by_name) {
  strategy_cache c;
  for (int i = 0; i < 100; i++) c.remember("cut " + std::to_string(i), i < 60 ? "bulk_barrier" : "put_signal");
  EXPECT_EQ(c.find("never seen"), "bulk_barrier");
  for (int i = 0; i < 20; i++) c.remember("cut", "put_signal");
  EXPECT_EQ(c.find("never seen"), "put_signal");
}

TEST(counters, the_banner_warns_when_nothing_was_carried) {
  std::vector<counters> ranks(2);
  EXPECT_TRUE(has(advice({{}, ranks, "", ""}), "warning: no remap was carried"));
  ranks[1].plans = 7;
  EXPECT_TRUE(has(advice({{}, ranks, "", ""}), "LAMMPS and MPI did all of them"));
  EXPECT_TRUE(has(banner({{}, ranks, "", "not enough memory (7)"}), "left because: not enough memory (7)"));
  ranks[1].carried = 143;
  ranks[0].bytes = ranks[1].bytes = 1000000;
  const std::string carried = banner({{}, ranks, "put_signal 7", ""});
  for (const char* part : {"143 remaps carried", "2.0 MB", "plans by strategy: put_signal 7"})
    EXPECT_TRUE(has(carried, part)) << carried;
  EXPECT_FALSE(has(carried, "left because")) << carried;
  EXPECT_EQ(advice({{}, ranks, "put_signal 7", ""}), "");
}

TEST(counters, statistics_tell_who_was_late) {
  run_mode m;
  ASSERT_EQ(oshen::lammps::parse("fft,check,stats", strategies, m), "");
  std::vector<counters> ranks(3);
  ranks[0].transforms = ranks[0].transforms_checked = 44;
  ranks[0].transform_error = 2e-16;
  ranks[1].awaited_seconds = 0.5;
  ranks[2].pack_seconds = 3;
  const std::string text = banner({m, ranks, "", ""});
  for (const char* part : {"44 whole FFTs", "largest difference 2.0e-16", "late    rank 1", "waited 0.5000 s",
                           "pack       1.0000 s mean     0.0000 (rank 0) ..    3.0000 (rank 2)"})
    EXPECT_TRUE(has(text, part)) << text;
  const std::string report = json({m, ranks, "get 2", ""});
  for (const char* part : {R"("mode": "auto,fft,check,stats")", R"("strategies": "get 2")", R"("transforms": 44)"})
    EXPECT_TRUE(has(report, part)) << report;
}

}  // namespace
