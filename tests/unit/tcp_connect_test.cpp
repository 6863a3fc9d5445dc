// Connections of transport "tcp" between PEs that are late, or that begin at the same time.
#include <sys/epoll.h>

#include <chrono>
#include <random>

#include "os/socket.hpp"
#include "unit/tcp_pair.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr auto a_while = std::chrono::milliseconds(300);  // longer than the pause between two attempts

outcome put_to(pe& from, int to, std::uint64_t value) {
  return from.count([&] { return from.table.put(from.s, to, 64, &value, sizeof value, nullptr); });
}

// PE `a` alone makes progress for a while, and stays without a connection.
void wait_alone(pair_of_pes& pes) {
  const auto end = std::chrono::steady_clock::now() + a_while;
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_EQ(put_to(pes.a, 1, 1), outcome::would_block);
    pes.a.progress();
  }
}

int n_open(pe& p) {
  int n = 0;
  for (tcp_connection* c = p.inside().all_connections; c != nullptr; c = c->next)
    n += c->now.load() == connection_state::open ? 1 : 0;
  return n;
}

TEST(TcpConnect, WaitsForAPeerThatIsLate) {
  pair_of_pes pes;
  wait_alone(pes);
  pes.put(2);
  pes.flush();
  EXPECT_EQ(pes.b.memory[8], 2u);
}

TEST(TcpConnect, TriesAgainWhileThePortIsClosed) {
  pair_of_pes pes;
  tcp_instance& b = pes.b.inside();
  close(b.listener);
  b.listener = -1;
  wait_alone(pes);
  b.listener = os::listen_network(b.own.port, 1);
  ASSERT_GE(b.listener, 0);
  ASSERT_TRUE(poll_for(b.shared, b.listener, b.listening, EPOLLIN));
  pes.put(3);
  pes.flush();
  EXPECT_EQ(pes.b.memory[8], 3u);
}

// PE `a` alone makes progress until its attempt has begun anew `n` times, or until it is lost.
outcome attempt_alone(pair_of_pes& pes, int n) {
  outcome o = put_to(pes.a, 1, 1);
  std::uint64_t deadline_ns = 0;
  for (int i = 0; i < 100 * most_rounds && n > 0 && o == outcome::would_block; ++i) {
    pes.a.progress();
    o = put_to(pes.a, 1, 1);
    const tcp_connection* const c = pes.a.inside().all_connections;
    if (c->current_attempt == nullptr || c->current_attempt->deadline_ns == deadline_ns) continue;
    deadline_ns = c->current_attempt->deadline_ns;
    --n;
  }
  EXPECT_TRUE(n == 0 || o != outcome::would_block);
  return o;
}

TEST(TcpConnect, WaitsForAPeerWhoseHostAnswersHoweverLate) {
  pair_of_pes pes;
  pes.a.inside().limits.answer_ns = 1000;
  pes.a.inside().limits.deadline_ns = 1;
  ASSERT_EQ(attempt_alone(pes, 6), outcome::would_block);
  pes.a.inside().limits = {};
  pes.put(4);
  pes.flush();
  EXPECT_EQ(pes.b.memory[8], 4u);
}

TEST(TcpConnect, GivesUpIfNoHostAnswersUntilTheDeadline) {
  pair_of_pes pes;
  close(pes.b.inside().listener);
  pes.b.inside().listener = -1;
  pes.a.inside().limits.deadline_ns = 1;
  EXPECT_EQ(attempt_alone(pes, 6), outcome::lost);
  EXPECT_NE(std::strstr(pes.a.table.explain(pes.a.self), "Connection refused"), nullptr);
}

// In a random order of their steps.
TEST(TcpConnect, KeepsOneConnectionIfBothBegin) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    pair_of_pes pes;
    outcome of_a = outcome::would_block, of_b = outcome::would_block;
    for (int i = 0; i < most_rounds && (of_a == outcome::would_block || of_b == outcome::would_block); ++i) {
      pe& p = random() % 2 == 0 ? pes.a : pes.b;
      outcome& of_p = &p == &pes.a ? of_a : of_b;
      if (of_p == outcome::would_block && random() % 2 == 0) of_p = put_to(p, &p == &pes.a ? 1 : 0, 7);
      if (random() % 4 != 0) p.progress();
    }
    EXPECT_EQ(of_a, outcome::done);
    EXPECT_EQ(of_b, outcome::done);
    pes.until([&] { return pes.a.memory[8] == 7 && pes.b.memory[8] == 7; });
    EXPECT_EQ(n_open(pes.a), 1);
    EXPECT_EQ(n_open(pes.b), 1);
    pes.flush();
  }
}

}  // namespace
}  // namespace oshen::transport::tcp
