// Transport "tcp", driven by hand: the system calls of each operation as exact numbers, and strangers at its port.
#include <string.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "unit/tcp_pair.hpp"

namespace oshen::transport::tcp {
namespace {

TEST(Tcp, SendsOneFrameEachWayForAPutWithFlush) {
  pair_of_pes pes;
  pes.expect({1, 1}, {1, 1}, [&](std::uint64_t i) { pes.put(i), pes.flush(); });
  EXPECT_EQ(pes.b.memory[8], 4u);
}

TEST(Tcp, IsAcknowledgedOnceForSeveralPutsWithOneFlush) {
  pair_of_pes pes;
  pes.expect({5, 1}, {1, 1}, [&](std::uint64_t i) {
    for (int k = 0; k < 5; ++k) pes.put(i);
    pes.flush();
  });
}

TEST(Tcp, SendsOneFrameForASignalAndNoAcknowledgement) {
  pair_of_pes pes;
  pes.expect({1, 0}, {0, 1}, [&](std::uint64_t i) { pes.signal(i); });
  EXPECT_EQ(pes.b.memory[8], 4u);
}

TEST(Tcp, SendsARequestAndAReplyForAGetWhichAcknowledgesThePutsBefore) {
  pair_of_pes pes;
  std::uint64_t got = 0;
  pes.expect({2, 1}, {1, 1}, [&](std::uint64_t i) {
    pes.put(i);
    pes.until_done([&] { return pes.a.table.get(pes.a.s, 1, &got, 64, 8, nullptr); });
    pes.flush();
    EXPECT_EQ(got, i);
  });
}

TEST(Tcp, RepliesToAtomicOperationsWithAResultOnly) {
  pair_of_pes pes;
  const atomic_op add{operation::add, width::eight, true, 1, 0};
  std::uint64_t before = 0;
  pes.expect({1, 1}, {1, 1}, [&](std::uint64_t) {
    pes.until_done([&] { return pes.a.table.atomic(pes.a.s, 1, 16, add, &before, nullptr); });
    pes.flush();
  });
  EXPECT_EQ(before, 3u);
  pes.expect({1, 0}, {0, 1}, [&](std::uint64_t i) {
    pes.until_done([&] { return pes.a.table.atomic(pes.a.s, 1, 16, add, nullptr, nullptr); });
    pes.until([&] { return pes.b.memory[2] == 4 + i; });
  });
  pes.flush();
}

TEST(Tcp, ReceivesALongPayloadStraightToItsPlaceAfterAnother) {
  pair_of_pes pes;
  const std::vector<char> sent(20000, 'x');
  std::size_t bytes_to_copy = 0;
  const auto is_in_place = [&](const void* to) {
    return to >= pes.b.memory.data() && to < pes.b.memory.data() + pes.b.memory.size();
  };
  on_receive = [&](const void* to, std::size_t n) { bytes_to_copy += is_in_place(to) ? 0 : n; };
  pes.expect({1, 1}, {1, 2}, [&](std::uint64_t) {
    bytes_to_copy = 0;
    pes.until_done([&] { return pes.a.table.put(pes.a.s, 1, 128, sent.data(), sent.size(), nullptr); });
    pes.flush();
  });
  on_receive = nullptr;
  EXPECT_EQ(bytes_to_copy, sizeof(frame) + sizeof(frame_head));  // the first bytes at PE b, the acknowledgement at PE a
}

TEST(Tcp, OffersTheSocketHalfAMegabyteAtATime) {
  pair_of_pes pes;
  std::vector<char> sent(1200000);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 7 + i / 251);
  pes.put(1), pes.flush();
  std::size_t most = 0, longest_put = 0;
  on_send = [&](std::size_t n) { most = std::max(most, n); };
  pes.until_done([&] { return pes.a.table.put(pes.a.s, 1, 128, sent.data(), sent.size(), nullptr); });
  longest_put = std::exchange(most, 0);
  pes.flush();
  on_send = nullptr;
  EXPECT_EQ(longest_put, 512u * 1024);
  EXPECT_LE(most, 512u * 1024);  // what the socket had not taken
  EXPECT_EQ(memcmp(&pes.b.memory[16], sent.data(), sent.size()), 0);
}

// ---- strangers ------------------------------------------------------------------------------------------------------

TEST(Tcp, ClosesConnectionsThatBeginWithAnythingElse) {
  pe a{0};
  greeting wrong = greeting_of_pe_1();
  wrong.to_pe = 1;
  char reply = 0;
  for (const char* text : {"GET / HTTP/1.1\r\nHost: h1.example.org.\r\n\r\n", reinterpret_cast<const char*>(&wrong)}) {
    const stranger s(a);
    s.say(text, sizeof wrong);
    EXPECT_FALSE(s.hears(a, &reply, 1));
  }
  EXPECT_EQ(a.inside().all_connections, nullptr);
}

TEST(Tcp, ClosesConnectionsWithoutAProofAndWithAnOldOne) {
  pe a{0};
  const greeting g = greeting_of_pe_1();
  challenge first{}, second{};
  sip_sum welcome{};
  {
    const stranger s(a);
    s.say(&g, sizeof g);
    ASSERT_TRUE(s.hears(a, &first, sizeof first));
    EXPECT_TRUE(same_sum(first.proof, prove(a.key(), proof_of::acceptor, g, first.number)));
    const sip_sum guess{{1, 2}};
    s.say(&guess, sizeof guess);
    EXPECT_FALSE(s.hears(a, &welcome, sizeof welcome));
  }
  const sip_sum old = prove(a.key(), proof_of::initiator, g, first.number);
  const stranger s(a);
  s.say(&g, sizeof g);
  ASSERT_TRUE(s.hears(a, &second, sizeof second));
  s.say(&old, sizeof old);
  EXPECT_FALSE(s.hears(a, &welcome, sizeof welcome));
  EXPECT_EQ(a.inside().all_connections, nullptr);
}

TEST(Tcp, EndsConnectionsWhoseFramesAreWrong) {
  pe a{0};
  const greeting g = greeting_of_pe_1();
  const stranger s(a);
  challenge given{};
  sip_sum welcome{};
  s.say(&g, sizeof g);
  ASSERT_TRUE(s.hears(a, &given, sizeof given));
  const sip_sum proof = prove(a.key(), proof_of::initiator, g, given.number);
  s.say(&proof, sizeof proof);
  ASSERT_TRUE(s.hears(a, &welcome, sizeof welcome));
  frame outside{head_of(frame_kind::put, 8, a.memory.size() * 8 - 4), {}};
  s.say(&outside.head, sizeof outside.head);
  EXPECT_FALSE(s.hears(a, &welcome, 1));
  EXPECT_STREQ(a.table.explain(a.self), "the other end does not keep to the protocol");
}

TEST(Tcp, ConnectsBesideSilentStrangers) {
  pair_of_pes pes;
  std::vector<std::unique_ptr<stranger>> silent;
  for (int i = 0; i < 2 * most_unproven; ++i) {
    silent.push_back(std::make_unique<stranger>(pes.b));
    pes.b.progress();
  }
  pes.put(5);
  pes.flush();
  EXPECT_EQ(pes.b.memory[8], 5u);
}

}  // namespace
}  // namespace oshen::transport::tcp
