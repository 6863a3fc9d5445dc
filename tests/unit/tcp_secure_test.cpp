// Authenticated streams of transport "tcp" (OSHEN_SECURE=1), with a host between the PEs.
#include <chrono>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "unit/tcp_pair.hpp"

namespace oshen::transport::tcp {
namespace {

constexpr const char* forged = "the stream was changed on the way: a record is not authentic, is missing or came twice";
constexpr std::size_t put_frame = sizeof(frame_head) + 8;

void secure(pe& p, const sip_key& secret) {
  p.inside().authenticates = true;
  p.inside().job_secret = secret;
}

struct secure_pair : pair_of_pes {
  explicit secure_pair(std::uint64_t chaos_seed = 0) : pair_of_pes(chaos_seed) {
    secure(a, {{3, 4}});
    secure(b, {{3, 4}});
  }
};

// The first record that PE `a` sends from now on is given to `change`, then the second one, and so on.
struct man_in_the_middle {
  man_in_the_middle(pair_of_pes& pes, std::function<std::string(int, const std::string&)> change) {
    in_flight = [&pes, change = std::move(change), n = 0](const std::string& sent) mutable {
      return counting == &pes.a.calls ? change(n++, sent) : sent;
    };
  }
  ~man_in_the_middle() { in_flight = nullptr; }
  man_in_the_middle(const man_in_the_middle&) = delete;
  man_in_the_middle& operator=(const man_in_the_middle&) = delete;
};

// PE `a` puts 1, then, with the change, 2, 3 and 4, each as a put. Expects that PE `b` has seen the first `n` of them.
void expect_forged(const std::function<std::string(int, const std::string&)>& change, std::uint64_t n) {
  secure_pair pes;
  pes.put(1);
  pes.flush();
  {
    const man_in_the_middle between(pes, change);
    for (std::uint64_t value = 2; value <= 4; ++value) {
      if (pes.a.count([&] { return pes.a.table.put(pes.a.s, 1, 64, &value, 8, nullptr); }) != outcome::done) break;
      for (int i = 0; i < 3; ++i) pes.b.progress();
    }
  }
  EXPECT_STREQ(pes.b.table.explain(pes.b.self), forged);
  EXPECT_EQ(pes.b.memory[8], n);
}

void carries_everything(std::uint64_t chaos_seed) {
  secure_pair pes(chaos_seed);
  std::vector<std::uint64_t> sent(3800), got(3800);
  std::iota(sent.begin(), sent.end(), 5);
  std::uint64_t before = 0;
  const atomic_op add{operation::add, width::eight, true, 7, 0};
  for (std::uint64_t round = 1; round <= 3; ++round) {
    pes.signal(round);
    pes.until_done([&] { return pes.a.table.put(pes.a.s, 1, 256, sent.data(), sent.size() * 8, nullptr); });
    pes.until_done([&] { return pes.a.table.atomic(pes.a.s, 1, 128, add, &before, nullptr); });
    pes.until_done([&] { return pes.a.table.get(pes.a.s, 1, got.data(), 256, got.size() * 8, nullptr); });
    pes.flush();
    EXPECT_EQ(before, 7 * (round - 1));
    EXPECT_EQ(got, sent);
    EXPECT_EQ(pes.b.memory[8], round);
  }
}

TEST(TcpSecure, CarriesEveryOperation) { carries_everything(0); }
TEST(TcpSecure, CarriesEveryOperationInParts) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) carries_everything(seed);
}

TEST(TcpSecure, NeedsNoMoreCallsForSmallOperations) {
  secure_pair pes;
  pes.expect({1, 1}, {1, 1}, [&](std::uint64_t i) { pes.put(i), pes.flush(); });
}

TEST(TcpSecure, SendsTheBytesOfTheProgramWithATagOnly) {
  secure_pair pes;
  pes.put(1);
  std::size_t bytes = 0;
  const man_in_the_middle between(pes, [&](int, const std::string& sent) { return bytes = sent.size(), sent; });
  pes.put(2);
  EXPECT_EQ(bytes, put_frame + record_overhead);
}

TEST(TcpSecure, NoticesAChangedByteBeforeItIsUsed) {
  for (std::size_t at = 0; at < put_frame + record_overhead; ++at) {
    SCOPED_TRACE(at);
    expect_forged(
        [at](int n, std::string sent) {
          if (n == 0) sent[at] ^= 16;
          return sent;
        },
        1);
  }
}

TEST(TcpSecure, NoticesARecordThatComesTwice) {
  expect_forged([](int n, const std::string& sent) { return n == 0 ? sent + sent : sent; }, 2);
}

TEST(TcpSecure, NoticesAMissingRecordWhenTheNextOneComes) {
  expect_forged([](int n, const std::string& sent) { return n == 1 ? "" : sent; }, 2);
}

TEST(TcpSecure, NoticesRecordsInAnotherOrder) {
  std::string held;
  expect_forged(
      [&](int n, const std::string& sent) {
        if (n == 0) held = sent;
        return n == 0 ? "" : sent + held;
      },
      1);
}

TEST(TcpSecure, NoticesARecordThatIsCutShort) {
  expect_forged([](int n, const std::string& sent) { return n == 0 ? sent.substr(0, 30) : sent; }, 1);
}

TEST(TcpSecure, LosesAPeerWhoseStreamEndsWithinARecord) {
  secure_pair pes;
  pes.put(1);
  pes.flush();
  {
    const man_in_the_middle between(pes, [](int, const std::string& sent) { return sent.substr(0, 30); });
    pes.put(2);
  }
  shutdown(pes.a.inside().shared.by_pe[1].load()->fd, SHUT_WR);
  tcp_connection* const at_b = pes.b.inside().shared.by_pe[0].load();
  pes.until([&] { return at_b->now.load() == connection_state::lost; });
  EXPECT_STREQ(pes.b.table.explain(pes.b.self), "the PE there has closed the connection, or has ended");
  EXPECT_EQ(pes.b.memory[8], 1u);
}

TEST(TcpSecure, UsesAKeyForEachDirectionAndEachConnection) {
  std::vector<stream_keys> keys;
  for (std::uint64_t number = 0; number < 2; ++number)
    keys.push_back(derive_keys({{1, 2}}, greeting_of_pe_1(), {{number, 0}}));
  EXPECT_FALSE(same_sum(keys[0].of_initiator, keys[0].of_acceptor));
  EXPECT_FALSE(same_sum(keys[0].of_initiator, keys[1].of_initiator));
  EXPECT_FALSE(same_sum(keys[0].of_acceptor, keys[1].of_acceptor));
}

// ---- strangers ------------------------------------------------------------------------------------------------------

TEST(TcpSecure, RefusesARecordedStream) {
  secure_pair pes;
  std::string recorded;
  {
    const man_in_the_middle between(pes, [&](int, const std::string& sent) { return recorded += sent, sent; });
    pes.put(1);
    pes.flush();
  }
  pes.b.memory[8] = 0;
  tcp_connection* const only = pes.b.inside().all_connections;
  const stranger s(pes.b);
  s.say(recorded.data(), recorded.size());
  challenge given{};
  char more = 0;
  ASSERT_TRUE(s.hears(pes.b, &given, sizeof given));
  EXPECT_FALSE(s.hears(pes.b, &more, 1));
  EXPECT_EQ(pes.b.memory[8], 0u);
  EXPECT_EQ(pes.b.inside().all_connections, only);
}

TEST(TcpSecure, NeedsTheSecretOfTheJobForEveryConnection) {
  pe a{0}, b{1};
  secure(a, {{3, 4}});
  secure(b, {{3, 5}});
  a.inside().limits.deadline_ns = 1000000000;
  ASSERT_EQ(a.table.connect(a.self, 1, b.address.data(), b.n_address), outcome::done);
  const std::uint64_t value = 1;
  outcome o = outcome::would_block;
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (o == outcome::would_block && std::chrono::steady_clock::now() < latest) {
    o = a.table.put(a.s, 1, 64, &value, 8, nullptr);
    a.progress();
    b.progress();
  }
  EXPECT_EQ(o, outcome::lost);
  const std::string why = a.table.explain(a.self);
  EXPECT_NE(why.find("the process there does not prove that it belongs to this job"), std::string::npos) << why;
  EXPECT_EQ(b.inside().all_connections, nullptr);
}

}  // namespace
}  // namespace oshen::transport::tcp
