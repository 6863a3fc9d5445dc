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

// A stranger that knows the key plays PE 1: it sends the frame after its handshake.
void send_as_pe_1(pe& a, const stranger& s, const frame& f) {
  const greeting g = greeting_of_pe_1();
  challenge given{};
  sip_sum welcome{};
  s.say(&g, sizeof g);
  ASSERT_TRUE(s.hears(a, &given, sizeof given));
  const sip_sum proof = prove(a.key(), proof_of::initiator, g, given.number);
  s.say(&proof, sizeof proof);
  ASSERT_TRUE(s.hears(a, &welcome, sizeof welcome));
  s.say(&f, bytes_before_payload(f.head.kind));
}

struct wrong_frame {
  const char* what;
  frame_kind kind;
  std::size_t bytes;
  std::uint64_t at;
  frame_extension extension{};
  std::uint32_t code = 0;
  std::uint16_t mark = frame_mark;
};

constexpr std::uint64_t slice_bytes = (1 << 18) * 8;
constexpr std::uint32_t last_code = static_cast<std::uint32_t>(operation::bit_xor);

// In each, one member alone is wrong.
const std::vector<wrong_frame> wrong_frames{
    {"mark", frame_kind::put, 8, 0, {}, 0, frame_mark + 1},
    {"kind 0", frame_kind{0}, 8, 0},
    {"kind too large", static_cast<frame_kind>(static_cast<int>(frame_kind::last) + 1), 0, 0},
    {"put outside", frame_kind::put, 8, slice_bytes - 4},
    {"put far outside", frame_kind::put, 8, ~std::uint64_t{0} - 3},
    {"put of nothing", frame_kind::put, 0, 0},
    {"get outside", frame_kind::get, 8, slice_bytes - 4},
    {"get of nothing", frame_kind::get, 0, 0},
    {"put with a set outside", frame_kind::put_and_set, 0, 0, {slice_bytes, 1}},
    {"put with an unaligned set", frame_kind::put_and_set, 0, 0, {4, 1}},
    {"bytes beside a set outside", frame_kind::put_and_set, 8, slice_bytes - 4, {8, 1}},
    {"put with an addition outside", frame_kind::put_and_add, 0, 0, {slice_bytes, 1}},
    {"put with an unaligned addition", frame_kind::put_and_add, 0, 0, {4, 1}},
    {"bytes beside an addition outside", frame_kind::put_and_add, 8, slice_bytes - 4, {8, 1}},
    {"width of an atomic operation", frame_kind::atomic, 2, 0},
    {"unaligned atomic operation", frame_kind::atomic, 8, 4},
    {"atomic operation outside", frame_kind::atomic, 8, slice_bytes},
    {"code of an atomic operation", frame_kind::atomic, 8, 0, {}, last_code + 1},
    {"width of a fetch", frame_kind::fetch, 16, 0},
    {"unaligned fetch", frame_kind::fetch, 4, 2},
    {"fetch outside", frame_kind::fetch, 4, slice_bytes},
    {"code of a fetch", frame_kind::fetch, 8, 0, {}, last_code + 1},
    {"reply without a request", frame_kind::get_reply, 8, 0},
    {"long message", frame_kind::message, message_bytes + 1, 0},
    {"acknowledgement with bytes", frame_kind::acknowledgement, 8, 0},
    {"goodbye with bytes", frame_kind::goodbye, 8, 0},
};

TEST(Tcp, EndsConnectionsWhoseFramesAreWrong) {
  for (const wrong_frame& w : wrong_frames) {
    SCOPED_TRACE(w.what);
    pe a{0};
    const stranger s(a);
    frame f{head_of(w.kind, w.bytes, w.at), w.extension};
    f.head.mark = w.mark;
    f.head.code = w.code;
    char more = 0;
    send_as_pe_1(a, s, f);
    EXPECT_FALSE(s.hears(a, &more, 1));
    EXPECT_STREQ(a.table.explain(a.self), "the other end does not keep to the protocol");
  }
}

// PE 1 is asked for 8 bytes, and its reply has another length.
TEST(Tcp, EndsConnectionsWhoseRepliesHaveAnotherLength) {
  pair_of_pes pes;
  pes.put(1);
  pes.flush();
  std::uint64_t got = 0;
  pes.until_done([&] { return pes.a.table.get(pes.a.s, 1, &got, 64, 8, nullptr); });
  const frame_head reply = head_of(frame_kind::get_reply, 4, 0);
  __real_send(pes.b.inside().all_connections->fd, &reply, sizeof reply, 0);
  for (int i = 0; i < most_rounds && pes.a.inside().all_connections->fd >= 0; ++i) pes.a.progress();
  EXPECT_STREQ(pes.a.table.explain(pes.a.self), "the other end does not keep to the protocol");
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
