// Pages that are set to zero again, also on kernels that only report success; and pages that a network may have pinned.
#include "os/memory.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "allocation/symmetric_heap.hpp"
#include "coll/api/collectives.hpp"
#include "coll/team/form.hpp"
#include "support/thread_job.hpp"

namespace oshen::os {
namespace {

// From now on madvise(MADV_REMOVE) reports success and does nothing. QEMU's user mode, which supports no filters,
// behaves like that anyway.
void take_removal_for_advice() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_REMOVE, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

class shared_pages {
 public:
  explicit shared_pages(std::size_t n) : bytes_(n * page_bytes()), fd_(create_shared("oshen-memory-test")) {
    if (resize_shared(fd_, bytes_)) start_ = static_cast<char*>(map_shared(fd_, bytes_));
  }
  ~shared_pages() {
    release(start_, bytes_);
    close(fd_);
  }
  char* begin() const { return start_; }
  char* end() const { return start_ + bytes_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t backed() const { return backed_bytes(fd_); }

 private:
  std::size_t bytes_;
  int fd_;
  char* start_ = nullptr;
};

bool all_zero(const char* from, const char* to) {
  return std::all_of(from, to, [](char c) { return c == 0; });
}

bool kernel_removes() {
  const shared_pages one(1);
  *one.begin() = 'x';
  return madvise(one.begin(), one.bytes(), MADV_REMOVE) == 0 && *one.begin() == 0;
}

TEST(EmptyPages, AreZeroAndGivenBack) {
  const shared_pages some(8);
  ASSERT_NE(some.begin(), nullptr);
  std::fill(some.begin(), some.end(), 'x');
  empty_pages(some.begin(), some.bytes());
  EXPECT_LE(some.backed(), kernel_removes() ? page_bytes() : some.bytes());
  EXPECT_TRUE(all_zero(some.begin(), some.end()));
}

TEST(EmptyPages, AreZeroWhereRemovalIsOnlyAdvice) {
  const auto in_such_a_process = [] {
    take_removal_for_advice();
    const shared_pages some(8);
    std::fill(some.begin(), some.end(), 'x');
    if (madvise(some.begin(), some.bytes(), MADV_REMOVE) != 0 || *some.begin() != 'x') _exit(2);  // the premise
    empty_pages(some.begin(), some.bytes());
    _exit(all_zero(some.begin(), some.end()) ? 0 : 1);
  };
  EXPECT_EXIT(in_such_a_process(), ::testing::ExitedWithCode(0), "");
}

// A network may have pinned registered memory: it would continue to use the removed pages, not their replacements.
TEST(EmptyPages, KeepThePagesThatANetworkKnows) {
  testing::run_job(
      4,
      [](world& w) {
        team* t = coll::form(w, {.n_pes = 4, .start = 0, .stride = 1}, "test");
        ASSERT_NE(t, nullptr);
        ASSERT_TRUE(t->spans);
        auto* numbers = static_cast<long*>(heap_malloc(w, "test", 5 * sizeof(long)));
        coll::fcollect({t, "test"}, numbers, numbers + 4, 1);
        const auto* place = reinterpret_cast<const char*>(t->workspace_here);
        ASSERT_TRUE(t->used_workspace);
        coll::dissolve(*t, "test");
        EXPECT_EQ(missing_bytes(place, sizeof(team_workspace)), 0u);
        EXPECT_TRUE(all_zero(place, place + sizeof(team_workspace)));
        heap_free(w, "test", numbers);
      },
      std::size_t{4} << 20, 2);
}

}  // namespace
}  // namespace oshen::os
