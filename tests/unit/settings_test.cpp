#include "base/settings.hpp"

#include <gtest/gtest.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "base/names.hpp"
#include "base/number.hpp"
#include "coll/select/tuning_file.hpp"
#include "settings_table.hpp"

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
  EXPECT_EQ(size("2GB"), std::size_t{2} << 30);
}

TEST(ParseSize, Invalid) {
  for (const char* text : {"", "M", "-1", "-1M", "nan", "inf", "1e30", "hello", "2 GB", "5x", "10 ", " 10", "1..5g",
                           "1,5g", "0x10", "+1", "."})
    EXPECT_EQ(size(text), SIZE_MAX) << text;
}

// A locale with a decimal comma, if this machine has or can make one. With it, the C library would read 1.5 as 1.
class CommaLocale : public ::testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/oshen-locale-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    const std::string at = folder;
    const std::string make = "localedef --no-archive -c -i de_DE -f UTF-8 " + at + "/de_DE.UTF-8 >/dev/null 2>&1";
    [[maybe_unused]] const int made = system(make.c_str());
    setenv("LOCPATH", folder, 1);
    const bool there = setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
    unsetenv("LOCPATH");
    [[maybe_unused]] const int gone = system(("rm -r " + at).c_str());
    if (!there) GTEST_SKIP() << "no locale with a comma and none can be made (package locales)";
  }
  void TearDown() override { setlocale(LC_ALL, "C"); }
};

void tuning_file_is_read();

TEST_F(CommaLocale, NumbersHaveAPoint) {
  ASSERT_EQ(strtod("1.5", nullptr), 1.0) << "the locale has no comma";
  EXPECT_EQ(size("1.5g"), std::size_t{3} << 29);
  EXPECT_EQ(size("1,5g"), SIZE_MAX);
  const char* end = nullptr;
  double value = 0;
  EXPECT_TRUE(read_decimal("0.25;", end, value));
  EXPECT_EQ(value, 0.25);
  EXPECT_EQ(*end, ';');
  tuning_file_is_read();
}

void tuning_file_is_read() {
  char file[] = "/tmp/oshen-tuning-XXXXXX";
  const int fd = mkstemp(file);
  ASSERT_GE(fd, 0);
  constexpr char text[] = "oshen-tuning 1\ncost copy-ns 0.75\nuse reduce 2-4 any 1.5k partitioned\n";
  ASSERT_EQ(write(fd, text, sizeof text - 1), static_cast<ssize_t>(sizeof text - 1));
  close(fd);
  setenv("OSHEN_COLL_TUNING", file, 1);
  coll::tuning_rules* read = nullptr;
  EXPECT_EQ(coll::read_tuning(read), status::ok);
  unsetenv("OSHEN_COLL_TUNING");
  unlink(file);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->here.copy_ns, 0.75);
  ASSERT_EQ(read->n_rules, 1);
  EXPECT_EQ(read->all()[0].up_to, 1536u);
  EXPECT_EQ(read->all()[0].most_pes, 4);
  free(read);
}

TEST(Whole, IsAllOfTheText) {
  long value = 0;
  EXPECT_TRUE(read_whole("-12", value));
  EXPECT_EQ(value, -12);
  for (const char* text : {"", "-", "5x", "5 ", " 5", "0x5", "1.5", "99999999999999999999"})
    EXPECT_FALSE(read_whole(text, value)) << text;
}

TEST(Settings, ContextsWithEndpoints) {
  const auto read_with = [](const char* text, settings& out) {
    setenv("OSHEN_CTX_ENDPOINTS", text, 1);
    ::testing::internal::CaptureStderr();
    const status s = read_settings(out);
    unsetenv("OSHEN_CTX_ENDPOINTS");
    const std::string said = ::testing::internal::GetCapturedStderr();
    return failed(s) ? said : said + "read";
  };
  for (const auto& [text, number] : {std::pair{"auto", -1}, {"0", 0}, {"7", 7}, {"1024", 1024}}) {
    settings out;
    EXPECT_EQ(read_with(text, out), "read");
    EXPECT_EQ(out.ctx_endpoints, number) << text;
  }
  for (const char* text : {"-1", "1025", "two", "3x"}) {
    settings out;
    EXPECT_EQ(read_with(text, out), std::string("oshen: OSHEN_CTX_ENDPOINTS = \"") + text +
                                        "\": expected auto or a number of contexts, 0 for none\n");
  }
}

// ---- names ---------------------------------------------------------------------------------------------------

TEST(Names, Distance) {
  EXPECT_EQ(distance("SPIN", "SPIN", 3), 0);
  EXPECT_EQ(distance("SPNI", "SPIN", 3), 1);  // two letters are swapped
  EXPECT_EQ(distance("SPIN", "SPINS", 3), 1);
  EXPECT_EQ(distance("PIN", "SPIN", 3), 1);
  EXPECT_EQ(distance("SPAN", "SPIN", 3), 1);
  EXPECT_EQ(distance("", "SPIN", 3), 4);
  EXPECT_EQ(distance("CHAOS", "DOMAIN", 2), 3);  // more than the limit
}

std::string said_of(const char* variable) {
  setenv(variable, "1", 1);
  ::testing::internal::CaptureStderr();
  name_unknown_variables(settings_table);
  unsetenv(variable);
  return ::testing::internal::GetCapturedStderr();
}

TEST(Names, MisspeltSettingsAreNamed) {
  EXPECT_EQ(said_of("OSHEN_SPINN"),
            "oshen: OSHEN_SPINN is set, but there is no such setting; did you mean OSHEN_SPIN?\n");
  EXPECT_NE(said_of("SHMEM_SYMETRIC_SIZE").find("did you mean SHMEM_SYMMETRIC_SIZE?"), std::string::npos);
  EXPECT_NE(said_of("SHMEM_DEBGU").find("did you mean SHMEM_DEBUG?"), std::string::npos);
  EXPECT_NE(said_of("OSHEN_COLL_BRODCAST").find("did you mean OSHEN_COLL_BROADCAST?"), std::string::npos);
  EXPECT_NE(said_of("OSHEN_TURBO").find("\"oshinfo --settings\" lists all settings"), std::string::npos);
}

// Settings, and variables of our other programs, of module files and of other OpenSHMEM libraries cause no warning.
TEST(Names, OthersAreLeftAlone) {
  for (const char* name :
       {"OSHEN_SPIN", "SHMEM_DEBUG", "SMA_SYMMETRIC_SIZE", "OSHEN_LAMMPS", "OSHEN_PE", "OSHEN_ROOT", "OSHEN_TEST_SAY",
        "SHMEM_SYMMETRIC_HEAP_SIZE", "SHMEM_SYMMETRIC_HEAP_PAGE_SIZE", "SHMEM_BARRIER_ALGORITHM", "SHMEM_TEAMS_MAX",
        "SHMEM_OFI_PROVIDER", "SHMEM_BACKTRACE", "SMA_VERSION_DISPLAY", "NVSHMEM_DEBUG"})
    EXPECT_EQ(said_of(name), "") << name;
}

class Environment : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE", "OSHEN_WAIT_WARN", "OSHEN_FAULT",
                             "OSHEN_CHECK", "OSHEN_TRANSPORT"})
      unsetenv(name);
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

TEST_F(Environment, DefaultsThatAreSetAgreeWithNone) {
  const std::uint64_t none = hash_of_agreed_settings();
  setenv("OSHEN_TRANSPORT", "auto", 1);
  setenv("OSHEN_CHECK", "0", 1);
  EXPECT_EQ(hash_of_agreed_settings(), none);
  setenv("OSHEN_TRANSPORT", "ofi", 1);
  EXPECT_NE(hash_of_agreed_settings(), none);
}

}  // namespace
}  // namespace oshen
