// Connections that arrive at a PE of transport "tcp" among many strangers, or when it has no descriptor left.
#include <poll.h>
#include <string.h>
#include <sys/resource.h>

#include <memory>
#include <string>
#include <vector>

#include "unit/tcp_pair.hpp"

namespace oshen::transport::tcp {
namespace {

// As long as it exists, the process can open only `n` more descriptors.
struct descriptor_limit {
  rlimit before{};
  explicit descriptor_limit(int n) {
    getrlimit(RLIMIT_NOFILE, &before);
    const int next = dup(0);
    close(next);
    rlimit now = before;
    now.rlim_cur = static_cast<rlim_t>(next + n);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &now), 0);
  }
  ~descriptor_limit() { setrlimit(RLIMIT_NOFILE, &before); }
  descriptor_limit(const descriptor_limit&) = delete;
  descriptor_limit& operator=(const descriptor_limit&) = delete;
};

bool is_readable(pe& p) {
  pollfd one{p.table.wait_fd(p.self), POLLIN, 0};
  return poll(&one, 1, 0) != 0;
}

void expect_reason(pe& p, const std::string& reason) {
  const std::string why = p.table.explain(p.self);
  EXPECT_NE(why.find(reason), std::string::npos) << why;
}

challenge challenge_of(pe& p, const stranger& s) {
  const greeting g = greeting_of_pe_1();
  challenge given{};
  s.say(&g, sizeof g);
  EXPECT_TRUE(s.hears(p, &given, sizeof given));
  return given;
}

TEST(TcpAccept, TellsThePeerThatNoDescriptorIsLeft) {
  pair_of_pes pes;
  const descriptor_limit one(1);  // for the PE that connects
  const std::uint64_t value = 1;
  outcome o = outcome::would_block;
  for (int i = 0; i < most_rounds && o == outcome::would_block; ++i) {
    o = pes.a.table.put(pes.a.s, 1, 64, &value, sizeof value, nullptr);
    pes.progress();
  }
  EXPECT_EQ(o, outcome::lost);
  expect_reason(pes.a, "the PE there has too many open files; raise the limit of open files (ulimit -n) on its host");
  expect_reason(pes.b,
                "cannot accept the connection of PE 0: Too many open files; raise the limit of open files (ulimit -n)");
  EXPECT_FALSE(is_readable(pes.b));
}

TEST(TcpAccept, IsNotBrokenByStrangersAtTheLimit) {
  pair_of_pes pes;
  pes.put(1);
  pes.flush();
  const stranger silent(pes.a), greets(pes.a), later(pes.a);
  const descriptor_limit none(0);
  challenge_of(pes.a, greets);
  for (int i = 0; i < most_rounds && pes.a.inside().accept_again_ns.load() == 0; ++i) pes.a.progress();
  EXPECT_FALSE(is_readable(pes.a));
  pes.put(2);
  pes.flush();
  EXPECT_EQ(pes.b.memory[8], 2u);
  EXPECT_GE(pes.a.table.progress(pes.a.self), 0);
}

TEST(TcpAccept, AcceptsAgainWhenADescriptorIsFree) {
  pe a{0};
  close(a.inside().spare_fd);
  a.inside().spare_fd = -1;
  std::unique_ptr<stranger> s;
  {
    const descriptor_limit one(1);
    s = std::make_unique<stranger>(a);
    for (int i = 0; i < most_rounds && a.inside().accept_again_ns.load() == 0; ++i) a.progress();
    EXPECT_FALSE(is_readable(a));
    EXPECT_EQ(a.table.may_block(a.self), blocking::for_a_moment);
  }
  challenge_of(a, *s);
  EXPECT_EQ(a.inside().starved_since_ns, 0u);
}

TEST(TcpAccept, FailsIfNoDescriptorComesFreeForLong) {
  pe a{0};
  close(a.inside().spare_fd);
  a.inside().spare_fd = -1;
  const descriptor_limit one(1);
  const stranger s(a);
  for (int i = 0; i < most_rounds && a.inside().starved_since_ns == 0; ++i) a.progress();
  EXPECT_GE(a.table.progress(a.self), 0);
  a.inside().starved_since_ns = 1;
  int events = 0;
  for (int i = 0; i < 100 * most_rounds && events >= 0; ++i) events = a.table.progress(a.self);
  EXPECT_LT(events, 0);
  expect_reason(a, "cannot accept a connection: Too many open files; raise the limit of open files (ulimit -n)");
}

// ---- strangers ------------------------------------------------------------------------------------------------------

TEST(TcpAccept, KeepsAGreetingWhenSilentStrangersFillItsEntries) {
  pe a{0};
  const stranger greets(a);
  const challenge given = challenge_of(a, greets);
  std::vector<std::unique_ptr<stranger>> others;
  for (int i = 0; i < 600; ++i) {
    others.push_back(std::make_unique<stranger>(a));
    if (i % 2 == 0) others.back()->say("garbage", 7);
    a.progress();
  }
  const sip_sum proof = prove(a.key(), proof_of::initiator, greeting_of_pe_1(), given.number);
  greets.say(&proof, sizeof proof);
  sip_sum welcome{};
  EXPECT_TRUE(greets.hears(a, &welcome, sizeof welcome));
  EXPECT_LE(a.inside().n_arriving.load(), most_unproven);
}

TEST(TcpAccept, ReadsAGreetingBeforeItDropsConnections) {
  pe a{0};
  std::vector<std::unique_ptr<stranger>> silent;
  silent.push_back(std::make_unique<stranger>(a));
  for (int i = 1; i < most_unproven; ++i) {
    silent.push_back(std::make_unique<stranger>(a));
    for (int k = 0; k < most_rounds && a.inside().n_arriving.load() <= i; ++k) a.progress();
  }
  const stranger newcomer(a);
  challenge_of(a, *silent[0]);
}

TEST(TcpAccept, DropsConnectionsThatStaySilent) {
  pe a{0};
  const stranger s(a);
  for (int i = 0; i < most_rounds && a.inside().n_arriving.load() == 0; ++i) a.progress();
  EXPECT_EQ(a.table.may_block(a.self), blocking::for_a_moment);
  a.inside().limits.unproven_ns = 1;
  char reply = 0;
  EXPECT_FALSE(s.hears(a, &reply, 1));
  EXPECT_EQ(a.inside().n_arriving.load(), 0);
  EXPECT_EQ(a.table.may_block(a.self), blocking::until_readable);
}

}  // namespace
}  // namespace oshen::transport::tcp
