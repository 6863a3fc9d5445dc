// The texts that the accelerator reads and prints: modes, strategies, the banner and the report.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lammps/lines.hpp"
#include "lammps/mode.hpp"
#include "lammps/report.hpp"

namespace {

using oshen::lammps::advice;
using oshen::lammps::banner;
using oshen::lammps::counters;
using oshen::lammps::json;
using oshen::lammps::run_mode;
using oshen::lammps::strategy_counts;

const std::vector<std::string> strategies{"bulk_barrier", "put_signal"};

std::string wrong(const char* words) {
  run_mode m;
  return oshen::lammps::parse(words, strategies, m);
}

std::vector<std::string> best_of(const std::string& report) { return nlohmann::json::parse(report)["best"]; }

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(run_mode, words_and_names) {
  const char* const pairs[][2] = {{"", "auto"},
                                  {"on", "auto"},
                                  {"off", "off"},
                                  {"check", "auto,check"},
                                  {"stats,put_signal", "put_signal,stats"},
                                  {"fft,check,stats", "auto,fft,check,stats"},
                                  {"best,stats", "auto,best,stats"},
                                  {"fft,best", "auto,best"}};
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
  EXPECT_TRUE(has(wrong("ON"), "'ON' is not one of on, off, check, stats, fft, best, auto, bulk_barrier"));
  EXPECT_TRUE(has(wrong("fft,,check"), "'' is not one of"));
  EXPECT_TRUE(has(wrong("off,fft"), "'off' leaves all to LAMMPS"));
  EXPECT_TRUE(has(wrong("put_signal,off"), "'off' leaves all to LAMMPS"));
  EXPECT_TRUE(has(wrong("off,best"), "'off' leaves all to LAMMPS"));
  EXPECT_TRUE(has(wrong("check,best"), "'best' compares the first results itself"));
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

TEST(strategy_counts, tell_where_strategies_come_from) {
  strategy_counts counts;
  EXPECT_EQ(counts.text(), "");
  for (int i = 0; i < 3; i++) counts.add("pipeline", "measured");
  counts.add("pipeline", "file");
  counts.add("get", "model");
  EXPECT_EQ(counts.text(), "get 1 (model 1), pipeline 4 (file 1, measured 3)");
  strategy_counts one;
  one.add("get", "requested");
  EXPECT_EQ(one.text(), "get 1");
}

TEST(strategy_counts, the_banner_has_the_budget_of_trials) {
  const std::vector<counters> ranks(2);
  const std::string text = banner({{}, ranks, "get 1 (model 1)", "", 0.2, 0.0031});
  EXPECT_TRUE(has(text, "trials of strategies lost 3.1 ms of the 200 ms planned")) << text;
  // A busy machine delays a block after it was planned.
  const std::string over = banner({{}, ranks, "get 1 (model 1)", "", 0.2, 0.2143});
  EXPECT_TRUE(has(over, "trials of strategies lost 214.3 ms, 14.3 ms more than planned")) << over;
  EXPECT_FALSE(has(over, "200 ms")) << over;
  EXPECT_TRUE(has(json({{}, ranks, "get 1", "", 0.2, 0.0031}), R"("trial_loss_seconds": 0.0031)"));
  run_mode chosen;
  chosen.strategy = "get";
  EXPECT_FALSE(has(banner({chosen, ranks, "get 1", "", 0.2, 0}), "trials"));
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

TEST(counters, the_banner_has_the_first_choices_of_mode_best) {
  const std::vector<counters> ranks(2);
  oshen::lammps::summary s{{}, ranks, "", ""};
  EXPECT_EQ(best_of(json(s)), s.choices);
  for (int i = 0; i < 10; i++) s.choices.push_back("FFT " + std::to_string(i));
  const std::string text = banner(s);
  EXPECT_TRUE(has(text, "best: FFT 0\n") && has(text, "best: FFT 7\noshen-lammps: best: and 2 more")) << text;
  EXPECT_EQ(best_of(json(s)), s.choices);
}

TEST(counters, the_report_is_json_whatever_a_reason_says) {
  std::vector<counters> ranks(3);
  ranks[2].carried = 7;
  ranks[2].transform_error = 2e-16;
  const auto report = nlohmann::json::parse(json({{}, ranks, "put_signal 7", "no \"way\"\n\\ to \xff (7)"}));
  EXPECT_EQ(report["left because"].get<std::string>(), "no \"way\"\n\\ to \xef\xbf\xbd (7)");
  EXPECT_EQ(report["strategies"].get<std::string>(), "put_signal 7");
  EXPECT_EQ(report["ranks"].size(), 3u);
  EXPECT_EQ(report["ranks"][2]["carried"].get<int>(), 7);
  EXPECT_EQ(report["ranks"][2]["transform_error"].get<double>(), 2e-16);
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
  for (const char* part : {"44 whole FFTs", "largest difference 2.0e-16", "late   rank 1", "waited 0.5000 s",
                           "pack     1.0000 s mean,   0.0000 (rank 0) ..   3.0000 (rank 2)"})
    EXPECT_TRUE(has(text, part)) << text;
  const std::string report = json({m, ranks, "get 2", ""});
  for (const char* part : {R"("mode": "auto,fft,check,stats")", R"("strategies": "get 2")", R"("transforms": 44)"})
    EXPECT_TRUE(has(report, part)) << report;
}

// A banner with every line that there is.
std::string full_banner() {
  run_mode m;
  EXPECT_EQ(oshen::lammps::parse("best,stats", strategies, m), "");
  m.checks = true;
  std::vector<counters> ranks(100);
  for (counters& r : ranks) {
    r.plans = r.plans_refused = r.carried = r.forwarded = r.checked = r.transforms = 1313;
    r.transforms_refused = r.transforms_checked = 44;
    r.bytes = 270'700'000;
    r.seconds = r.pack_seconds = r.wait_seconds = r.unpack_seconds = r.awaited_seconds = 65.5;
  }
  return banner({m,
                 ranks,
                 "get 1 (model 1), pipeline 4 (file 1, measured 3)",
                 "not enough memory (3); other scale (1)",
                 0.2,
                 0.2143,
                 {"FFT 100 x 100 x 100 forward: whole FFT, 1.2 ms against 3.4 ms by LAMMPS (2 plans)"}});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t longest(const std::string& text) {
  std::size_t columns = 0;
  for (const std::string& line : lines_of(text)) columns = std::max(columns, line.size());
  return columns;
}

// The words, however the lines are broken.
std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST(lines, of_80_columns_have_all_words_and_indent_what_was_broken) {
  const std::string text = full_banner();
  ASSERT_GT(longest(text), 100u) << text;  // else this test shows nothing
  const std::string narrow = oshen::lammps::wrapped(text, 80);
  EXPECT_LE(longest(narrow), 80u) << narrow;
  EXPECT_EQ(words_of(narrow), words_of(text));
  EXPECT_GT(lines_of(narrow).size(), lines_of(text).size());
  for (const std::string& line : lines_of(narrow))
    EXPECT_TRUE(line.starts_with("oshen-lammps: ") || (line.starts_with("    ") && line[4] != ' ')) << line;
}

TEST(lines, of_200_columns_and_in_a_pipe_stay_as_they_are) {
  const std::string text = full_banner();
  EXPECT_EQ(oshen::lammps::wrapped(text, 200), text);
  EXPECT_EQ(oshen::lammps::wrapped(text, 0), text);
}

TEST(lines, break_before_a_long_word_and_never_within) {
  const std::string path(90, 'x');
  EXPECT_EQ(oshen::lammps::wrapped("oshen-lammps: cannot write " + path + " now\n", 80),
            "oshen-lammps: cannot write\n    " + path + "\n    now\n");
  const std::string fits = std::string(40, 'y') + ' ' + std::string(39, 'y');
  EXPECT_EQ(oshen::lammps::wrapped(fits + "\n", 80), fits + "\n");
}

TEST(lines, have_the_columns_that_oshen_lammps_tells) {
  testing::internal::CaptureStderr();  // no terminal
  setenv(oshen::lammps::columns_variable, "33", 1);
  oshen::lammps::say("%d words that do not fit into one line", 10);
  setenv(oshen::lammps::columns_variable, "wide", 1);
  oshen::lammps::say("%d words that do not fit into one line", 10);
  unsetenv(oshen::lammps::columns_variable);
  oshen::lammps::say("%d words that do not fit into one line", 10);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "oshen-lammps: 10 words that do\n    not fit into one line\n"
            "oshen-lammps: 10 words that do not fit into one line\n"
            "oshen-lammps: 10 words that do not fit into one line\n");
}

}  // namespace
