// The model of one-sided communication itself: it finds what the standard leaves open, and nothing else.
#include <gtest/gtest.h>
#include <shmem.h>

#include <string>

#include "one_sided.hpp"

namespace oshen::model {
namespace {

// PE 0 sends data and then a flag; PE 1 waits for the flag and reads the data.
struct words {
  std::uint64_t data, flag;
};

finding message(const std::function<void(words&)>& send, bool mapped = false) {
  return explore({.pes = 2,
                  .mapped = mapped,
                  .parks_to_test = true,
                  .heap_bytes = 256,
                  .body =
                      [send](int me) {
                        auto* w = static_cast<words*>(shmem_align(64, sizeof(words)));
                        explore_from_here();
                        if (me == 0) return send(*w);
                        shmem_uint64_wait_until(&w->flag, SHMEM_CMP_GE, 1);
                        if (w->data != 7) fail("the data is not there");
                      },
                  .forget = {}});
}

void put_data(words& w, std::uint64_t value) { shmem_putmem(&w.data, &value, sizeof value, 1); }

TEST(OneSided, PutsAreUnordered) {
  const auto send = [](words& w) {
    put_data(w, 7);
    shmem_uint64_p(&w.flag, 1, 1);
  };
  EXPECT_NE(message(send).trouble.find("the data is not there"), std::string::npos);
}

TEST(OneSided, FenceQuietAndSignalOrder) {
  EXPECT_EQ(message([](words& w) { put_data(w, 7), shmem_fence(), shmem_uint64_p(&w.flag, 1, 1); }).trouble, "");
  EXPECT_EQ(message([](words& w) { put_data(w, 7), shmem_quiet(), shmem_uint64_p(&w.flag, 1, 1); }).trouble, "");
  const auto signalled = [](words& w) {
    const std::uint64_t value = 7;
    shmem_putmem_signal(&w.data, &value, sizeof value, &w.flag, 1, SHMEM_SIGNAL_SET, 1);
  };
  EXPECT_EQ(message(signalled).trouble, "");
}

TEST(OneSided, PutsToOneWordMayGoBack) {
  const auto send = [](words& w) {
    put_data(w, 6);
    put_data(w, 7);
    shmem_fence();
    shmem_uint64_p(&w.flag, 1, 1);
  };
  EXPECT_NE(message(send).trouble, "");
}

TEST(OneSided, NonBlockingPutsReadTheirSourceLate) {
  const auto send_after = [](void (*complete)()) {
    return [complete](words& w) {
      std::uint64_t source = 7;
      shmem_putmem_nbi(&w.data, &source, sizeof source, 1);
      complete();
      source = 8;
      shmem_fence();
      shmem_uint64_p(&w.flag, 1, 1);
      shmem_quiet();
    };
  };
  EXPECT_NE(message(send_after(shmem_fence)).trouble, "");
  EXPECT_EQ(message(send_after(shmem_quiet)).trouble, "");
}

TEST(OneSided, StoresToMappedMemoryNeedAFence) {
  const auto store = [](words& w) { *static_cast<volatile std::uint64_t*>(shmem_ptr(&w.data, 1)) = 7; };
  EXPECT_NE(message([=](words& w) { store(w), shmem_uint64_p(&w.flag, 1, 1); }, true).trouble, "");
  EXPECT_EQ(message([=](words& w) { store(w), shmem_fence(), shmem_uint64_p(&w.flag, 1, 1); }, true).trouble, "");
}

TEST(OneSided, AWaitThatNoPutEndsIsStuck) {
  EXPECT_NE(message([](words&) {}).trouble.find("stuck"), std::string::npos);
}

}  // namespace
}  // namespace oshen::model
