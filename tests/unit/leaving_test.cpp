// A process that ends its job gives the launcher time to read its errors.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "os/process.hpp"

namespace oshen::os {
namespace {

using clock = std::chrono::steady_clock;

// Standard error is a pipe for the life of this object.
class errors_in_pipe {
 public:
  errors_in_pipe() : before_(dup(STDERR_FILENO)) {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    dup2(ends_[1], STDERR_FILENO);
  }
  ~errors_in_pipe() {
    dup2(before_, STDERR_FILENO);
    for (int fd : {ends_[0], ends_[1], before_}) close(fd);
  }
  std::string read_all() const {
    char text[64];
    const ssize_t count = read(ends_[0], text, sizeof text);
    return {text, count > 0 ? static_cast<std::size_t>(count) : 0};
  }

 private:
  int ends_[2] = {-1, -1};
  int before_;
};

// The reader is late on purpose. Where the machine stalls for longer than the patience, the attempt says nothing.
TEST(Leaving, WaitsForTheReaderOfErrors) {
  constexpr auto patience = std::chrono::milliseconds(1500);
  for (int attempt = 0; attempt < 50; ++attempt) {
    const errors_in_pipe errors;
    ASSERT_EQ(write(STDERR_FILENO, "line\n", 5), 5);
    const auto began = clock::now();
    std::atomic<bool> is_over{false};
    std::thread leaver([&] {
      wait_for_reader_of_errors();
      is_over = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const bool was_over = is_over;
    const bool says_something = clock::now() - began < patience;
    const std::string text = errors.read_all();
    leaver.join();
    EXPECT_EQ(text, "line\n");
    if (!says_something) continue;
    EXPECT_FALSE(was_over);
    return;
  }
  GTEST_SKIP() << "the machine stalled in each of 50 attempts";
}

TEST(Leaving, DoesNotWaitForALostReader) {
  const errors_in_pipe errors;
  ASSERT_EQ(write(STDERR_FILENO, "line\n", 5), 5);
  wait_for_reader_of_errors();
  EXPECT_EQ(errors.read_all(), "line\n");
}

}  // namespace
}  // namespace oshen::os
