// Quotas of control groups, of both versions, as files under a folder of the test.
#include "os/control_group.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace oshen::os {
namespace {

class Quota : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/oshen-quota-XXXXXX";
    root_ = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  cpu_quota of(const std::string& cgroup_file) const {
    write("self", cgroup_file);
    return cpu_quota_in((root_ / "self").c_str(), (root_ / "sys").c_str());
  }

  std::filesystem::path root_;
};

TEST_F(Quota, NoneIsNone) {
  EXPECT_EQ(of("0::/a\n").group, 0U);
  write("sys/a/cpu.max", "max 100000\n");
  EXPECT_EQ(of("0::/a\n").group, 0U);
  EXPECT_EQ(cpu_quota_in("/nowhere/at/all", "/nowhere").group, 0U);
}

TEST_F(Quota, IsReadInVersion2) {
  write("sys/a/cpu.max", "150000 100000\n");
  const cpu_quota q = of("0::/a\n");
  EXPECT_NE(q.group, 0U);
  EXPECT_DOUBLE_EQ(q.cpus, 1.5);
}

TEST_F(Quota, TheTightestAboveCounts) {
  write("sys/cpu.max", "400000 100000\n");
  write("sys/a/cpu.max", "200000 100000\n");
  write("sys/a/b/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(of("0::/a/b\n").cpus, 2);
  EXPECT_DOUBLE_EQ(of("0::/x\n").cpus, 4);
  EXPECT_DOUBLE_EQ(of("0::/\n").cpus, 4);
  EXPECT_EQ(of("0::/a\n").group, of("0::/a/b\n").group);  // processes that share a quota find the same group
}

TEST_F(Quota, IsReadInVersion1) {
  write("sys/cpu/job/cpu.cfs_quota_us", "50000\n");
  write("sys/cpu/job/cpu.cfs_period_us", "25000\n");
  EXPECT_DOUBLE_EQ(of("5:memory:/job\n4:cpuacct,cpu:/job/step\n0::/\n").cpus, 2);
  EXPECT_EQ(of("4:cpuacct:/job\n3:cpuset:/job\n").group, 0U);
  write("sys/cpu/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(of("4:cpu:/job\n").group, 0U);
}

}  // namespace
}  // namespace oshen::os
