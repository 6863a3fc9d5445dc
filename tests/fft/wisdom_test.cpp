// FFTW's wisdom is saved for later programs.
#include "fft/passes/wisdom.hpp"

#include <fftw3.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace oshen::fft {
namespace {

namespace fs = std::filesystem;

constexpr int length = 360;

// Null if FFTW would have to measure.
bool is_known() {
  fftw_complex* data = fftw_alloc_complex(length);
  fftw_plan plan = fftw_plan_dft_1d(length, data, data, FFTW_FORWARD, FFTW_MEASURE | FFTW_WISDOM_ONLY);
  const bool known = plan != nullptr;
  if (known) fftw_destroy_plan(plan);
  fftw_free(data);
  return known;
}
void find_out() {
  fftw_complex* data = fftw_alloc_complex(length);
  fftw_destroy_plan(fftw_plan_dft_1d(length, data, data, FFTW_FORWARD, FFTW_MEASURE));
  fftw_free(data);
}

// In a process of its own, because a process reads the wisdom only once.
template <class Act>
bool in_child(Act act) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(act() ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Wisdom : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/oshen-wisdom-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    cache_ = name;
    setenv("XDG_CACHE_HOME", name, 1);
  }
  void TearDown() override { fs::remove_all(cache_); }
  static bool learn() {
    recall_wisdom();
    find_out();
    keep_wisdom();
    return true;
  }
  static bool remembers() {
    recall_wisdom();
    return is_known();
  }
  fs::path cache_;
};

TEST_F(Wisdom, IsThereInTheNextProgram) {
  EXPECT_FALSE(in_child(remembers));
  EXPECT_TRUE(in_child(learn));
  EXPECT_TRUE(in_child(remembers));
}

TEST_F(Wisdom, ThatIsSpoiltIsAsNone) {
  ASSERT_TRUE(in_child(learn));
  for (const auto& file : fs::directory_iterator(cache_ / "oshen")) std::ofstream(file.path()) << "(nonsense";
  EXPECT_FALSE(in_child(remembers));
  EXPECT_TRUE(in_child(learn));
  EXPECT_TRUE(in_child(remembers));
}

TEST_F(Wisdom, IsNotKeptWhereThereIsNoPlace) {
  setenv("XDG_CACHE_HOME", "/dev/null", 1);
  EXPECT_TRUE(in_child(learn));
  EXPECT_FALSE(in_child(remembers));
}

}  // namespace
}  // namespace oshen::fft
