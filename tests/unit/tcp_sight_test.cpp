// Connections that the poll set of transport "tcp" leaves out while a thread polls (src/transport/tcp/sight.hpp).
#include <poll.h>

#include "unit/tcp_pair.hpp"

namespace oshen::transport::tcp {
namespace {

bool is_readable(pe& at) {
  pollfd one{at.table.wait_fd(at.self), POLLIN, 0};
  return poll(&one, 1, 0) == 1;
}

// PE b has received from PE a, and nothing is under way.
struct connected : pair_of_pes {
  connected() {
    signal(1);
    for (int i = 0; i < 100; ++i) progress();
  }
  bool leave_out(bool at_once) { return b.table.leave_out(b.self, at_once); }
  void send(std::uint64_t value) {
    const put_signal_args args{.to = 64, .from = &value, .bytes = 8, .signal = 8, .value = value, .op = signal_op::set};
    EXPECT_EQ(a.table.put_signal(a.s, 1, args, nullptr), outcome::done);
  }
};

TEST(TcpSight, AnArrivalIsSeenUnlessItsConnectionIsLeftOut) {
  connected pes;
  pes.send(2);
  EXPECT_TRUE(is_readable(pes.b));
  pes.b.progress();
  EXPECT_TRUE(pes.leave_out(true));
  pes.send(3);
  EXPECT_FALSE(is_readable(pes.b));
  pes.b.progress();
  EXPECT_EQ(pes.b.memory[1], 3u);
}

// Also what has arrived before.
TEST(TcpSight, ComesBackBeforeAThreadBlocks) {
  connected pes;
  EXPECT_TRUE(pes.leave_out(true));
  pes.send(2);
  pes.b.table.watch_all(pes.b.self);
  EXPECT_TRUE(is_readable(pes.b));
  pes.b.progress();
  EXPECT_TRUE(pes.leave_out(true));
  pes.send(3);
  EXPECT_EQ(pes.b.table.may_block(pes.b.self), blocking::until_readable);
  EXPECT_TRUE(is_readable(pes.b));
}

TEST(TcpSight, IsGivenUpForAConnectionThatStaysTheLikelyOne) {
  connected pes;
  int asked = 1;
  while (!pes.leave_out(false) && asked < 100) ++asked;
  EXPECT_GT(asked, 1);
  EXPECT_LT(asked, 100);
  EXPECT_FALSE(pes.leave_out(false));  // it is left out already
  EXPECT_FALSE(pes.leave_out(true));
}

TEST(TcpSight, HasEveryConnectionThatIsNotLikely) {
  pe alone{0};
  EXPECT_FALSE(alone.table.leave_out(alone.self, true));
}

// While the socket refuses bytes, a sleeper must wake when it takes more.
TEST(TcpSight, KeepsAConnectionThatWaitsForItsSocket) {
  connected pes;
  const std::vector<char> large(std::size_t{1} << 20);
  const put_signal_args args{
      .to = 64, .from = large.data(), .bytes = large.size(), .signal = 8, .value = 9, .op = signal_op::set};
  for (int i = 0; i < 60 && pes.b.table.put_signal(pes.b.s, 0, args, nullptr) == outcome::done; ++i) continue;
  EXPECT_FALSE(pes.leave_out(true));
  EXPECT_EQ(pes.b.table.may_block(pes.b.self), blocking::until_readable);  // now the poll set waits for room, too
  EXPECT_FALSE(pes.leave_out(true));
  pes.until([&] { return pes.a.memory[1] == 9; });
  stream_point point;
  for (outcome o = outcome::would_block; o != outcome::done; pes.progress()) o = pes.b.table.flush(pes.b.s, point);
}

// A queue forms behind the back of a thread that leaves out the connection, and another one is about to block.
TEST(TcpSight, StillPollsForRoomWhenItIsWatchedAgain) {
  connected pes;
  EXPECT_TRUE(pes.leave_out(true));
  const std::vector<char> large(std::size_t{1} << 20);
  const put_signal_args args{
      .to = 64, .from = large.data(), .bytes = large.size(), .signal = 8, .value = 9, .op = signal_op::set};
  for (int i = 0; i < 60 && pes.b.table.put_signal(pes.b.s, 0, args, nullptr) == outcome::done; ++i) continue;
  EXPECT_EQ(pes.b.inside().shared.may_block(), blocking::until_readable);
  pes.b.table.watch_all(pes.b.self);
  EXPECT_FALSE(is_readable(pes.b));
  for (int i = 0; i < most_rounds && !is_readable(pes.b); ++i) pes.a.progress();
  EXPECT_TRUE(is_readable(pes.b));
  pes.until([&] { return pes.a.memory[1] == 9; });
  stream_point point;
  for (outcome o = outcome::would_block; o != outcome::done; pes.progress()) o = pes.b.table.flush(pes.b.s, point);
}

// A third PE's frames arrive last, so that the connection that is left out is not a likely one any more.
TEST(TcpSight, LeavesNoConnectionUnread) {
  connected pes;
  EXPECT_TRUE(pes.leave_out(true));
  tcp_instance& me = pes.b.inside();
  me.shared.recent = nullptr;
  me.shared.owing = nullptr;
  pes.send(2);
  pes.b.progress();
  EXPECT_EQ(pes.b.memory[1], 2u);
}

TEST(TcpSight, ForgetsAConnectionThatIsLost) {
  pe b{1};
  {
    pe a{0};
    ASSERT_EQ(a.table.connect(a.self, 1, b.address.data(), b.n_address), outcome::done);
    ASSERT_EQ(b.table.connect(b.self, 0, a.address.data(), a.n_address), outcome::done);
    const std::uint64_t value = 5;
    outcome o = outcome::would_block;
    for (int i = 0; i < most_rounds && b.memory[8] != value; ++i) {
      if (o == outcome::would_block) o = a.table.put(a.s, 1, 64, &value, sizeof value, nullptr);
      a.progress(), b.progress();
    }
    ASSERT_EQ(b.memory[8], value);
    EXPECT_TRUE(b.table.leave_out(b.self, true));
  }
  for (int i = 0; i < 100; ++i) b.progress();
  EXPECT_EQ(b.table.may_block(b.self), blocking::until_readable);
  EXPECT_FALSE(is_readable(b));
  EXPECT_FALSE(b.table.leave_out(b.self, true));
}

}  // namespace
}  // namespace oshen::transport::tcp
