#include "base/settings.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace oshen {
namespace {

std::size_t size(const char* text) {
  std::size_t bytes = 0;
  return parse_size(text, bytes) ? bytes : SIZE_MAX;
}

// The examples of OpenSHMEM 1.6, chapter 8.
TEST(ParseSize, Standard) {
  EXPECT_EQ(size("3.1M"), 3250586u);
  EXPECT_EQ(size(".5m"), 524288u);
  EXPECT_EQ(size("0.5m"), 524288u);
  EXPECT_EQ(size("20kk"), 20480u);
  EXPECT_EQ(size("1G"), std::size_t{1} << 30);
  EXPECT_EQ(size("2t"), std::size_t{2} << 40);
  EXPECT_EQ(size("4096"), 4096u);
  EXPECT_EQ(size("0"), 0u);
  EXPECT_EQ(size("10x"), 10u);
}

TEST(ParseSize, Invalid) {
  for (const char* text : {"", "M", "-1", "-1M", "nan", "inf", "1e30", "hello"}) EXPECT_EQ(size(text), SIZE_MAX) << text;
}

class Environment : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE", "OSHEN_WAIT_WARN", "OSHEN_FAULT"}) unsetenv(name);
  }
  settings read;
};

TEST_F(Environment, NewNameWinsOverOld) {
  setenv("SMA_SYMMETRIC_SIZE", "1M", 1);
  ASSERT_EQ(read_settings(read), status::ok);
  EXPECT_EQ(read.heap_bytes, std::size_t{1} << 20);
  setenv("SHMEM_SYMMETRIC_SIZE", "2M", 1);
  ASSERT_EQ(read_settings(read), status::ok);
  EXPECT_EQ(read.heap_bytes, std::size_t{2} << 20);
}

TEST_F(Environment, BadValuesAreErrors) {
  setenv("SHMEM_SYMMETRIC_SIZE", "lots", 1);
  EXPECT_EQ(read_settings(read), status::bad_setting);
  setenv("SHMEM_SYMMETRIC_SIZE", "1M", 1);
  setenv("OSHEN_WAIT_WARN", "soon", 1);
  EXPECT_EQ(read_settings(read), status::bad_setting);
}

TEST_F(Environment, FaultNamesPhaseAndPe) {
  setenv("OSHEN_FAULT", "segment@3", 1);
  ASSERT_EQ(read_settings(read), status::ok);
  EXPECT_STREQ(read.fault_phase, "segment");
  EXPECT_EQ(read.fault_pe, 3);
}

}  // namespace
}  // namespace oshen
