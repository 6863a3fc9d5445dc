// A retry of transport "loop" visits the peers that have a queue, not all PEs of the job.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <vector>

#include "transport/transport.hpp"

namespace oshen::transport {

extern const transport loop_transport;

namespace {

constexpr int many_pes = 1 << 18;  // the table of peers has thousands of pages, which no access has touched yet
constexpr int messages = 100;      // more than a socket holds

struct end {
  instance* open = nullptr;
  std::vector<int> received;
  std::array<char, 64> slice{};

  explicit end(int pe) {
    open_params how;
    how.pe = pe;
    how.n_pes = many_pes;
    how.slice = slice.data();
    how.slice_bytes = slice.size();
    how.owner = this;
    how.on_message = [](void* owner, int, const void* bytes, std::size_t) {
      static_cast<end*>(owner)->received.push_back(*static_cast<const int*>(bytes));
    };
    attributes about;
    std::array<char, 128> why{};
    EXPECT_TRUE(loop_transport.open(how, &open, &about, why.data(), why.size())) << why.data();
  }
  ~end() { loop_transport.close(open); }
  end(const end&) = delete;
  end& operator=(const end&) = delete;
};

long faults() {
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_minflt;
}

TEST(Loop, RetriesOnlyForPeersWithAQueue) {
  end sender(0), receiver(many_pes - 1);
  std::array<char, address_bytes> address{};
  const std::size_t bytes = loop_transport.local_address(receiver.open, address.data());
  ASSERT_EQ(loop_transport.connect(sender.open, many_pes - 1, address.data(), bytes), outcome::done);
  for (int i = 0; i < messages; ++i)
    ASSERT_EQ(loop_transport.send(sender.open, nullptr, many_pes - 1, &i, sizeof i), outcome::done);
  ASSERT_EQ(loop_transport.may_block(sender.open), blocking::for_a_moment) << "the test needs a full socket";
  const long before = faults();
  for (int i = 0; i < 10; ++i) loop_transport.progress(sender.open);
  EXPECT_LT(faults() - before, 100) << "pages of peers without a queue were read";
  while (receiver.received.size() < messages && !::testing::Test::HasFailure())
    EXPECT_GT(loop_transport.progress(receiver.open) + loop_transport.progress(sender.open), 0);
  for (int i = 0; i < messages; ++i) EXPECT_EQ(receiver.received[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(loop_transport.may_block(sender.open), blocking::until_readable);
}

// An instance that closes drops the queues of several peers.
TEST(Loop, ClosesWithQueues) {
  end sender(0), one(1), other(2);
  for (end* to : {&one, &other}) {
    std::array<char, address_bytes> address{};
    const int pe = to == &one ? 1 : 2;
    const std::size_t bytes = loop_transport.local_address(to->open, address.data());
    ASSERT_EQ(loop_transport.connect(sender.open, pe, address.data(), bytes), outcome::done);
    for (int i = 0; i < messages; ++i)
      ASSERT_EQ(loop_transport.send(sender.open, nullptr, pe, &i, sizeof i), outcome::done);
  }
  EXPECT_EQ(loop_transport.may_block(sender.open), blocking::for_a_moment);
}

}  // namespace
}  // namespace oshen::transport
