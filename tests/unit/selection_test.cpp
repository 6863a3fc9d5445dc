// Selection of algorithms: settings first, then the tuning file, then the cost model. Every PE of a team chooses alike.
#include "coll/select/selection.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "coll/call/sequence.hpp"
#include "coll/team/form.hpp"
#include "support/thread_job.hpp"

namespace oshen::coll {
namespace {

using testing::run_job;

class Selection : public ::testing::Test {
 protected:
  void SetUp() override { path_ = "selection_test." + std::to_string(getpid()) + ".txt"; }
  void TearDown() override {
    unlink(path_.c_str());
    for (const char* name : {"OSHEN_COLL_TUNING", "OSHEN_COLL_REDUCE", "OSHEN_COLL_COLLECT", "OSHEN_COLL_SCAN"})
      unsetenv(name);
  }

  void write(const std::string& lines) {
    std::ofstream(path_) << "oshen-tuning 1\n" << lines;
    setenv("OSHEN_COLL_TUNING", path_.c_str(), 1);
  }
  bool read() {
    tuning_rules* fresh = nullptr;
    const bool good = !failed(read_tuning(fresh));
    read_.reset(fresh);
    return good;
  }
  // The algorithm that runs, and the reason.
  std::string chosen(kind k, int n_pes, std::size_t bytes, bool cpu_for_each = true) {
    const team_shape s{.n_pes = n_pes, .bytes = bytes, .cpu_for_each = cpu_for_each};
    const selection c = choose(k, s, read_.get());
    return std::string(registry()[static_cast<std::size_t>(c.algorithm_index)]->name) + ", " + name_of(c.why) +
           (c.line != 0 ? ' ' + std::to_string(c.line) : "");
  }
  std::string model(kind k, int n_pes, std::size_t bytes) {
    const selection c = choose(k, {.n_pes = n_pes, .bytes = bytes, .cpu_for_each = true}, nullptr);
    return std::string(registry()[static_cast<std::size_t>(c.algorithm_index)]->name) + ", model";
  }
  // The line on stderr about an invalid setting or file.
  std::string complaint() {
    ::testing::internal::CaptureStderr();
    EXPECT_FALSE(read());
    return ::testing::internal::GetCapturedStderr();
  }

  std::string path_;
  std::unique_ptr<tuning_rules, decltype(&free)> read_{nullptr, &free};
};

TEST_F(Selection, TheModelTakesTheCheapest) {
  setenv("OSHEN_COLL_TUNING", "none", 1);
  ASSERT_TRUE(read());
  for (const int n_pes : {1, 2, 7, 64, 1000})
    for (int k = 0; k < kinds; ++k)
      for (int size = 0; size < size_classes; ++size) {
        team_shape s{.n_pes = n_pes, .bytes = largest_of(size), .cpu_for_each = true};
        const selection c = choose(static_cast<kind>(k), s, read_.get());
        const algorithm& a = *registry()[static_cast<std::size_t>(c.algorithm_index)];
        ASSERT_EQ(a.collective, static_cast<kind>(k));
        ASSERT_TRUE(can_do(a, s)) << a.name << ' ' << n_pes << ' ' << s.bytes;
        for (const algorithm* other : registry()) {
          if (other->collective == a.collective) {
            ASSERT_LE(a.cost(s), other->cost(s)) << a.name << ' ' << other->name;
          }
        }
      }
}

// Adds the cheapest row of each collective, and of each design in it, for such a team.
void add_cheapest(std::set<const algorithm*>& useful, const team_shape& s) {
  std::map<std::pair<kind, int>, std::pair<double, const algorithm*>> best;
  for (const algorithm* row : registry()) {
    if (!can_do(*row, s)) continue;
    const std::pair cost(row->cost(s), row);
    const auto [at, fresh] = best.try_emplace({row->collective, static_cast<int>(row->protocol)}, cost);
    if (!fresh && cost.first < at->second.first) at->second = cost;
  }
  for (const auto& [what, cost] : best) useful.insert(cost.second);
}

// An algorithm is in the table because a team selects it, or because it is the best of its protocol, for comparisons.
TEST_F(Selection, EveryRowIsOfUse) {
  std::set<const algorithm*> useful;
  const std::set<std::string> for_other_reasons{
      "alltoallv/push",                                 // measured twice as fast as pull at 4 KiB
      "broadcast/scatter-allgather-pull",               // in the tuning file that is installed
      "sync/tree",                                      // fewest messages, where their rate is the limit
      "sync/hierarchical", "reduce/hierarchical-put"};  // for domains that are farther apart than the model knows
  for (const int n_pes : {1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 100, 128, 256, 512, 1024})
    for (const int cpus : {2, 16, 1024})
      for (const int domain : {1, 8})
        for (const bool spans : {false, true})
          for (const machine& on : {machine{},
                                    {.line_ns = 30, .copy_ns = 0.3},
                                    {.line_ns = 400, .copy_ns = 0.02},
                                    {.line_ns = 30},
                                    {.line_ns = 400},
                                    {.copy_ns = 0.02}})
            for (int size = 0; size < size_classes; ++size) {
              team_shape s{.n_pes = n_pes,
                           .bytes = largest_of(size),
                           .cpu_for_each = n_pes <= cpus,
                           .spans = spans,
                           .domains = (n_pes + domain - 1) / domain,
                           .domain = std::min(domain, n_pes),
                           .on = on};
              s.on.cpus = cpus;
              add_cheapest(useful, s);
            }
  for (const algorithm* row : registry()) {
    const std::string name = std::string(name_of(row->collective)) + '/' + row->name;
    EXPECT_TRUE(useful.contains(row) || for_other_reasons.contains(name)) << name;
  }
}

TEST_F(Selection, ASettingBeatsTheFileAndTheFileTheModel) {
  write("use reduce 2 own 4k partitioned\nuse reduce 2 shared all inline\n");
  ASSERT_TRUE(read());
  EXPECT_EQ(chosen(kind::reduce, 2, 8), "partitioned, tuning file 2");
  EXPECT_EQ(chosen(kind::reduce, 2, 8192), model(kind::reduce, 2, 8192));  // the rule ends below this size
  EXPECT_EQ(chosen(kind::reduce, 3, 8), model(kind::reduce, 3, 8));
  EXPECT_EQ(chosen(kind::reduce, 2, 8, false), "inline, tuning file 3");
  setenv("OSHEN_COLL_REDUCE", "inline@16,auto@1k,partitioned", 1);
  ASSERT_TRUE(read());
  EXPECT_EQ(chosen(kind::reduce, 2, 16), "inline, setting");
  EXPECT_EQ(chosen(kind::reduce, 2, 1024), "partitioned, tuning file 2");  // auto means no setting
  EXPECT_EQ(chosen(kind::reduce, 2, 2048), "partitioned, setting");
}

TEST_F(Selection, WhatCannotBeDoneIsPassedOver) {
  setenv("OSHEN_COLL_REDUCE", "inline", 1);
  write("use reduce 1-100 any all partitioned\n");
  ASSERT_TRUE(read());
  EXPECT_EQ(chosen(kind::reduce, 4, 8), "inline, setting");
  EXPECT_EQ(chosen(kind::reduce, 4, std::size_t{1} << 20), "partitioned, tuning file 2");
}

TEST_F(Selection, BothScansShareOneSetting) {
  setenv("OSHEN_COLL_SCAN", "partitioned", 1);
  ASSERT_TRUE(read());
  EXPECT_EQ(chosen(kind::inscan, 4, 8), "partitioned, setting");
  EXPECT_EQ(chosen(kind::exscan, 4, 8), "partitioned, setting");
}

// Collect looks at the largest contribution, which all PEs know when the algorithm is chosen.
TEST_F(Selection, CollectHasSizesToo) {
  setenv("OSHEN_COLL_COLLECT", "ring-put@1k,push", 1);
  ASSERT_TRUE(read());
  EXPECT_EQ(chosen(kind::collect, 4, 1024), "ring-put, setting");
  EXPECT_EQ(chosen(kind::collect, 4, 2048), "push, setting");
}

TEST_F(Selection, CostsOfTheMachineComeFromTheFile) {
  write("# measured\n\ncost line-ns 50.5   # fast\ncost switch-ns 900\ncost copy-ns 0.25\n");
  ASSERT_TRUE(read());
  EXPECT_EQ(read_->here.line_ns, 50.5);
  EXPECT_EQ(read_->here.switch_ns, 900);
  EXPECT_EQ(read_->here.copy_ns, 0.25);
}

TEST_F(Selection, BadFilesAreRefusedByLine) {
  const std::pair<const char*, const char*> wrong[] = {
      {"use reduce 2 own all magic\n",
       ":2: \"magic\" is no algorithm for reduce: expected one of auto, inline, central, partitioned, linear-put"},
      {"use reduce 2 own all tree-put\n", ":2: \"tree-put\" is no algorithm for reduce: expected one of auto, inline,"},
      {"\nuse reduce 2 own 1k\n", ":3: expected \"use COLLECTIVE"},
      {"use reduce 2 own 1k partitioned now\n", ":2: expected"},
      {"use reduce 0-4 own 1k partitioned\n", ":2: expected"},
      {"use reduce 4-2 own 1k partitioned\n", ":2: expected"},
      {"use reduce 4 some 1k partitioned\n", ":2: expected"},
      {"use reduce 4 own -1 partitioned\n", ":2: expected"},
      {"use magic 4 own all partitioned\n", ":2: expected"},
      {"cost line-ns\n", ":2: expected"},
      {"cost line-ns fast\n", ":2: expected"},
      {"cost line-ns 0\n", ":2: expected"},
      {"cost light-ns 1\n", ":2: expected"},
      {"hello\n", ":2: expected"}};
  for (const auto& [lines, expected] : wrong) {
    write(lines);
    EXPECT_NE(complaint().find(expected), std::string::npos) << lines;
  }
  std::ofstream(path_) << "something else\n";
  EXPECT_NE(complaint().find("this is no tuning file"), std::string::npos);
  setenv("OSHEN_COLL_TUNING", "no/such/file", 1);
  EXPECT_NE(complaint().find("cannot read no/such/file: No such file"), std::string::npos);
}

// Each PE reads the sources itself, and compares its choice with that of PE 0: on the world, on parts of it, and on
// teams in many slots.
TEST_F(Selection, EveryPeOfATeamChoosesAlike) {
  write("use broadcast 3 any 1k push\nuse broadcast 2-5 any all pull\ncost line-ns 77\n");
  setenv("OSHEN_COLL_REDUCE", "inline@32,partitioned", 1);
  std::uint8_t first[collective_kinds][size_classes];
  run_job(5, [&](world& w) {
    ASSERT_EQ(read_tuning(w.tuning), status::ok);
    team* odd[70] = {};
    const int list[] = {4, 1, 3};
    for (team*& t : odd)
      if (w.pe % 2 == 1 || w.pe == 4) t = form(w, {.n_pes = 3, .list = list}, "test");
    const auto compare = [&](team& t, int leader) {
      for (int k = 0; k < kinds; ++k)
        for (int size = 0; size < size_classes; ++size) algorithm_for(t, static_cast<kind>(k), size);
      if (w.pe == leader) memcpy(first, t.chosen_algorithms, sizeof first);
      sync_team(t, "test");
      EXPECT_EQ(memcmp(first, t.chosen_algorithms, sizeof first), 0);
      sync_team(t, "test");
    };
    compare(w.team_world, 0);
    sync_team(w.team_world, "test");
    for (team* t : odd)
      if (t != nullptr) compare(*t, 4);
  });
}

}  // namespace
}  // namespace oshen::coll
