// The file of choices, with several writers and with bad contents; costs of a tuning file; the model.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "exchange/choice/estimate.hpp"
#include "exchange/choice/machine_costs.hpp"
#include "exchange/strategies/table.hpp"
#include "trials/choice_file.hpp"

namespace {

using namespace oshen::exchange;
using namespace oshen::trials;
namespace fs = std::filesystem;

class choices : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/oshen-choices-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    file_ = folder_ + "/choices";
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& text) const { std::ofstream(file_) << text; }
  std::string found(std::uint64_t key) const { return find_choice(file_, key); }

  std::string folder_, file_;
};

TEST_F(choices, the_last_line_of_a_key_counts) {
  EXPECT_EQ(found(1), "");
  store_choice(file_, 1, "get", 0.5, true);
  store_choice(file_, 2, "chkbuff", 1e-6, true);
  store_choice(file_, 1, "put_signal", 0.25, true);
  EXPECT_EQ(found(1), "put_signal");
  EXPECT_EQ(found(2), "chkbuff");
}

TEST_F(choices, bad_lines_are_ignored) {
  write("\n1 get\n1 get x\n1 get 1 2\n1 get -1\nget 1 1\n\xff\x01\x02\n1  1\n" + std::string(100000, 'x') +
        "\n2 get 1\n3 get 1");
  EXPECT_EQ(found(1), "");
  EXPECT_EQ(found(2), "get");
  EXPECT_EQ(found(3), "get");         // a line without an end
  write("1 get 1\n1 telepathy 1\n");  // a name of another version
  EXPECT_EQ(found(1), "telepathy");   // "auto" ignores it
}

TEST_F(choices, other_things_than_files) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_EQ(found(1), "");  // does not block
  store_choice(file_, 1, "get", 1, false);
  fs::remove(file_);
  fs::create_directory(file_);
  EXPECT_EQ(found(1), "");
  store_choice(file_, 1, "get", 1, false);
  EXPECT_EQ(found(1), "");
}

TEST_F(choices, several_writers) {
  constexpr int writers = 4, each = 100;
  for (int w = 0; w < writers; w++) {
    if (fork() != 0) continue;
    for (int i = 0; i < each; i++) store_choice(file_, static_cast<std::uint64_t>(w * each + i), "get", 1, false);
    _exit(0);
  }
  for (int w = 0; w < writers; w++) wait(nullptr);
  for (int i = 0; i < writers * each; i++) EXPECT_EQ(found(static_cast<std::uint64_t>(i)), "get") << i;
}

TEST_F(choices, a_long_file_keeps_its_latest_lines) {
  const std::string used = "advchkbuff_nopack";
  constexpr std::uint64_t most = 3000;
  for (std::uint64_t i = 0; i < most; i++) store_choice(file_, i, used, 1, false);
  EXPECT_LE(fs::file_size(file_), 65u << 10);
  EXPECT_EQ(found(most - 1), used);
  EXPECT_EQ(found(most - 500), used);
  EXPECT_EQ(found(0), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);  // no file is left beside it
}

TEST_F(choices, the_setting) {
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  unsetenv("OSHEN_EXCHANGE_CHOICES");
  const std::string common = common_choice_file();
  EXPECT_TRUE(common.starts_with(folder_ + "/oshen/exchange-")) << common;
  store_choice(common, 7, "get", 1, false);  // makes the folder
  EXPECT_EQ(find_choice(common, 7), "get");
  setenv("OSHEN_EXCHANGE_CHOICES", "none", 1);
  EXPECT_EQ(common_choice_file(), "");
  setenv("OSHEN_EXCHANGE_CHOICES", file_.c_str(), 1);
  EXPECT_EQ(common_choice_file(), file_);
}

TEST_F(choices, costs_of_a_tuning_file) {
  machine_costs costs;
  EXPECT_FALSE(read_costs(file_, costs));
  write("oshen-tuning 1\n# text\ncost copy-ns 2.5\ncost line-ns -1\ncost unknown 3\nuse sync 2 own all central\n");
  EXPECT_TRUE(read_costs(file_, costs));
  EXPECT_DOUBLE_EQ(costs.copy, 2.5e-9);
  EXPECT_DOUBLE_EQ(costs.line, machine_costs{}.line);
}

std::string best(const plan_traffic& t, unsigned buffers = 0) {
  oshen_plan_attr_t attr{};
  attr.buffers = buffers;
  return ranking(attr, t)[0].used->name;
}

// Measured: docs/bench/exchange-notes.md.
TEST(model, ranks_as_measured) {
  plan_traffic large{.sent = 6.5e6, .received = 6.5e6, .peers = 1, .rows = 4000, .chunks = 26, .members = 2};
  EXPECT_EQ(best(large), "pipeline");
  large.apart = true;
  EXPECT_EQ(best(large, OSHEN_BUFFERS_APART | OSHEN_OUT_SYMMETRIC), "direct");
  plan_traffic far{.sent_far = 6.5e6, .received = 6.5e6, .peers = 1, .rows = 4000, .chunks = 26, .members = 2};
  EXPECT_NE(best(far), "pipeline");  // a trip for each chunk
  plan_traffic scattered = large;
  scattered.apart = false;
  scattered.rows = 400000;
  oshen_plan_attr_t attr{};
  const auto all = ranking(attr, scattered);
  EXPECT_NE(std::string_view(all.back().used->name).find("nopack"), std::string_view::npos) << all.back().used->name;
  const plan_traffic small{.sent = 1000, .received = 1000, .peers = 3, .rows = 1, .members = 4, .crowded = true};
  EXPECT_NE(best(small), "bulk_barrier");  // more turns of the CPUs
}

TEST(model, pipeline_costs_its_chunks) {
  const auto seconds = [](const char* name, const plan_traffic& t) { return estimate(*find_strategy(name), t); };
  plan_traffic t{.sent = 60e6, .received = 60e6, .peers = 1, .chunks = 120, .members = 2};
  const double small = seconds("pipeline", t);
  EXPECT_LT(small, seconds("put_signal", t));
  t.chunks = 60;
  EXPECT_LT(seconds("pipeline", t), small);  // half of the waits, and each chunk stays in a cache
  t.chunks = 40;
  EXPECT_GT(seconds("pipeline", t), 1.3 * small);  // chunks of 1.5 MB do not
  t.chunks = 1;
  EXPECT_EQ(seconds("pipeline", t), seconds("put_signal", t));
}

}  // namespace
