#include "os/control_group.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace oshen::os {
namespace {

namespace fs = std::filesystem;

// A folder that looks like /sys/fs/cgroup.
class ControlGroups : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("oshen-groups-" + std::to_string(getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  memory_limits read(const std::string& list) {
    write("list", list);
    return read_memory_limits((root_ / "list").c_str(), root_.c_str());
  }
  fs::path root_;
};

TEST_F(ControlGroups, NoneIsNoLimit) {
  EXPECT_EQ(read("0::/\n").limit, SIZE_MAX);
  EXPECT_EQ(read("").room, SIZE_MAX);
  EXPECT_EQ(read_memory_limits("/no/such/list", "/no/such/folder").limit, SIZE_MAX);
}

TEST_F(ControlGroups, TheParentsCount) {
  write("job/memory.max", "1000\n");
  write("job/memory.current", "900\n");
  write("job/step/memory.max", "max\n");
  write("job/step/memory.current", "10\n");
  write("job/step/task/memory.max", "500\n");
  write("job/step/task/memory.current", "10\n");
  const memory_limits found = read("0::/job/step/task\n");
  EXPECT_EQ(found.limit, 500u);
  EXPECT_EQ(found.room, 100u);  // the memory that is left for the whole job
}

TEST_F(ControlGroups, TheRootThatIsShownCounts) {
  write("memory.max", "700");
  write("memory.current", "100");
  EXPECT_EQ(read("0::/\n").room, 600u);
  EXPECT_EQ(read("0::/not/shown/here\n").room, 600u);  // the path belongs to another namespace
}

TEST_F(ControlGroups, PagesOfFilesAreNotHeld) {
  write("job/memory.max", "1000");
  write("job/memory.current", "950");
  write("job/memory.stat", "anon 100\nfile 800\ninactive_file 300\nactive_file 400\nslab 5\n");
  EXPECT_EQ(read("0::/job\n").room, 1000u - 250u);
}

TEST_F(ControlGroups, VersionOne) {
  write("memory/a/memory.limit_in_bytes", "1000");
  write("memory/a/memory.usage_in_bytes", "400");
  write("memory/a/memory.stat", "inactive_file 7\ntotal_inactive_file 50\ntotal_active_file 50\n");
  write("memory/a/b/memory.limit_in_bytes", "9223372036854771712");
  write("memory/a/b/memory.usage_in_bytes", "1");
  const memory_limits found = read("9:name=systemd:/\n4:memory:/a/b\n0::/\n");
  EXPECT_EQ(found.limit, 1000u);
  EXPECT_EQ(found.room, 700u);
}

TEST_F(ControlGroups, MoreHeldThanAllowedIsNoRoom) {
  write("job/memory.max", "100");
  write("job/memory.current", "150");
  EXPECT_EQ(read("0::/job\n").room, 0u);
}

}  // namespace
}  // namespace oshen::os
