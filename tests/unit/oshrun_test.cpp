// The barrier of PEs under oshrun (bootstrap/oshrun.hpp). The test plays oshrun and all PEs but one.
#include "bootstrap/oshrun.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "os/futex.hpp"

namespace oshen::bootstrap {
namespace {

constexpr int n_pes = 10;

// A job page, which the environment names as that of PE 0.
class page {
 public:
  page() : fd_(memfd_create("oshen-test-job", 0)) {
    EXPECT_EQ(ftruncate(fd_, static_cast<off_t>(job_bytes(n_pes))), 0);
    at_ = static_cast<job_page*>(mmap(nullptr, job_bytes(n_pes), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
    at_->magic = job_magic;
    at_->record_bytes = sizeof(pe_record);
    at_->n_pes = n_pes;
    setenv(job_fd_variable, std::to_string(fd_).c_str(), 1);
    setenv(pe_variable, "0", 1);
  }
  ~page() {
    unsetenv(job_fd_variable);
    unsetenv(pe_variable);
    munmap(at_, job_bytes(n_pes));
    close(fd_);
  }
  page(const page&) = delete;
  page& operator=(const page&) = delete;

  pe_record& record(int pe) { return records(at_)[pe]; }
  // The description of PE 0's wait, when it is no longer `before`.
  std::string words_after(const std::string& before) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    char text[sizeof record(0).doing.text] = "";
    while ((read_activity(record(0).doing, text) == 0 || before == text) && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return text;
  }
  void release() {
    at_->generation.fetch_add(1);
    os::futex_wake_all(at_->generation);
  }

 private:
  int fd_;
  job_page* at_;
};

// Otherwise each of n waiting PEs reads n records at each look.
TEST(OshrunBarrier, DoesNotLookAgainAtPesThatHaveArrived) {
  page p;
  oshrun launcher;
  ASSERT_EQ(launcher.join(), status::ok);
  for (int pe = 1; pe < 4; ++pe) p.record(pe).barriers.store(1);
  std::thread waits([&] { EXPECT_EQ(launcher.barrier(), status::ok); });
  const std::string first = p.words_after("");
  EXPECT_EQ(first, "shmem_init: waiting for PE 4");
  p.record(2).barriers.store(0);  // as if it had not arrived: only another look would show this
  for (int pe = 4; pe < n_pes - 1; ++pe) p.record(pe).barriers.store(1);
  EXPECT_EQ(p.words_after(first), "shmem_init: waiting for PE 9");
  p.release();
  waits.join();
}

}  // namespace
}  // namespace oshen::bootstrap
