// Packed operations of a session, over a transport that keeps messages until the test delivers them.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "support/make_transport.hpp"
#include "transport/endpoint.hpp"

namespace oshen::transport {
namespace {

constexpr int n_pes = 1200;
constexpr std::size_t slice_bytes = 65536;
constexpr std::size_t adds_in_a_pack = (pack_bytes - sizeof(pack_head)) / 8;  // small ones
constexpr std::size_t words_in_a_pack = (pack_bytes - sizeof(pack_head)) / 8;

struct sent_message {
  int to;
  bool is_reply;
  std::vector<char> bytes;
};

struct wire {
  open_params how;
  std::map<int, outcome> towards;  // what sends to a PE return; missing: done
  std::vector<sent_message> sent;
};
std::size_t longest_message = pack_bytes;
wire wires[2];  // of the requester, PE 0, and of the target, which stands for all other PEs

outcome result_of(const wire& w, int pe) {
  const auto found = w.towards.find(pe);
  return found == w.towards.end() ? outcome::done : found->second;
}

bool open(const open_params& how, instance** made, attributes* properties, char*, std::size_t) {
  wire& mine = wires[how.pe];
  mine = {.how = how, .towards = {}, .sent = {}};
  properties->message_bytes = longest_message;
  properties->messages_in_order = true;
  *made = reinterpret_cast<instance*>(&mine);
  return true;
}
outcome put(stream*, int, std::uint64_t, const void*, std::size_t, completion*) { return outcome::done; }
outcome send(instance* i, stream* s, int pe, const void* bytes, std::size_t n) {
  auto& mine = *reinterpret_cast<wire*>(i);
  const auto* begin = static_cast<const char*>(bytes);
  const outcome o = result_of(mine, pe);
  if (o == outcome::done) mine.sent.push_back({pe, s == nullptr, {begin, begin + n}});
  return o;
}
outcome flush(stream*, stream_point&) { return outcome::done; }
outcome fence(stream*, stream_point&) { return outcome::done; }
int progress(instance*) { return 0; }

constexpr transport kept_transport = oshen::testing::make_transport("kept", [](transport& t) {
  t.open = open;
  t.put = put;
  t.send = send;
  t.fence = fence;
  t.flush = flush;
  t.progress = progress;
});

constexpr atomic_op add_one{.op = operation::add, .bytes = width::eight, .fetches = false, .value = 1, .compare = 0};
constexpr std::uint64_t unset = 0xeeeeeeeeeeeeeeee;

class Packs : public ::testing::Test {
 protected:
  void SetUp() override {
    char why[64];
    open_params how;
    how.n_pes = n_pes;
    how.slice_bytes = slice_bytes;
    ASSERT_TRUE(from.open(kept_transport, how, why, sizeof why));
    ASSERT_TRUE(from.open_channel(c, 0));
    how.pe = 1;
    how.slice = memory.get();
    ASSERT_TRUE(target.open(kept_transport, how, why, sizeof why));
    ASSERT_TRUE(from.packs().begin_session(c));
  }
  void TearDown() override {
    from.close_channel(c);
    from.close();
    target.close();
  }

  std::vector<sent_message>& sent() { return wires[0].sent; }
  // Delivers one message to the target, and its reply to the requester.
  void deliver(const sent_message& m) {
    apply(m);
    for (const sent_message& reply : wires[1].sent) answer(m.to, reply.bytes);
  }
  void apply(const sent_message& m) {
    wire& at = wires[1];
    at.sent.clear();
    at.how.on_message(at.how.owner, 0, m.bytes.data(), m.bytes.size());
    n_replies += at.sent.size();
  }
  static void answer(int pe, const std::vector<char>& reply) {
    wires[0].how.on_message(wires[0].how.owner, pe, reply.data(), reply.size());
  }
  std::size_t deliver_all() {
    std::vector<sent_message> all;
    all.swap(sent());
    for (const sent_message& m : all) deliver(m);
    return all.size();
  }
  std::uint64_t word(std::size_t offset) const {
    std::uint64_t value;
    memcpy(&value, memory.get() + offset, sizeof value);
    return value;
  }
  void store(std::size_t offset, std::uint64_t value) { memcpy(memory.get() + offset, &value, sizeof value); }
  outcome add(int pe, std::uint64_t at = 0) { return from.packs().add(c, atomic_of(pe, at, add_one, nullptr)); }
  outcome get_word(int pe, std::uint64_t at, std::uint64_t& to) {
    return from.packs().add(c, get_of(pe, &to, at, sizeof to));
  }
  outcome put_word(std::uint64_t to, std::uint64_t value) {
    return from.packs().add(c, put_of(1, to, &value, sizeof value));
  }

  endpoint from, target;
  channel c;
  std::unique_ptr<char[]> memory = std::make_unique<char[]>(slice_bytes);
  std::size_t n_replies = 0;
};

TEST_F(Packs, AThousandAddsAreTwoMessagesAndTwoReplies) {
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(add(1), outcome::done);
  EXPECT_EQ(sent().size(), 1000 / adds_in_a_pack);
  flush_point point;
  EXPECT_EQ(from.flush(c, point), outcome::would_block);
  EXPECT_EQ(sent().size(), 2u);
  EXPECT_EQ(from.flush(c, point), outcome::would_block) << "nothing has been acknowledged";
  EXPECT_EQ(word(0), 0u);
  EXPECT_EQ(deliver_all(), 2u);
  EXPECT_EQ(word(0), 1000u);
  EXPECT_EQ(from.flush(c, point), outcome::done);
  EXPECT_TRUE(c.requests.is_idle());
}

TEST_F(Packs, KeepEveryByteOfEveryLength) {
  std::vector<char> expected(slice_bytes, 0);
  std::size_t to = 8;
  for (std::size_t n = 1; n <= most_packed_bytes; ++n) {
    std::vector<char> bytes(n);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<char>(n + 3 * i);
    ASSERT_EQ(from.packs().add(c, put_of(1, to, bytes.data(), n)), outcome::done);
    memcpy(expected.data() + to, bytes.data(), n);
    memset(bytes.data(), 0, n);  // the source may be reused at once
    to += n + 1;
  }
  ASSERT_EQ(from.packs().send(c), outcome::done);
  deliver_all();
  EXPECT_EQ(memcmp(memory.get(), expected.data(), slice_bytes), 0);
}

TEST_F(Packs, ApplyAllOperationsInOrder) {
  const auto change = [&](operation op, width bytes, std::uint64_t value) {
    const atomic_op what{.op = op, .bytes = bytes, .fetches = false, .value = value, .compare = 0};
    ASSERT_EQ(from.packs().add(c, atomic_of(1, 16, what, nullptr)), outcome::done);
  };
  ASSERT_EQ(put_word(16, UINT64_MAX), outcome::done);
  change(operation::set, width::eight, 0xff00ff00000000f0);
  change(operation::add, width::four, 0x20);  // carries nothing into the upper half
  change(operation::bit_or, width::eight, 0x3);
  change(operation::bit_and, width::four, 0xff3);
  change(operation::bit_xor, width::eight, 0x1);
  ASSERT_EQ(from.packs().send(c), outcome::done);
  EXPECT_EQ(deliver_all(), 1u);
  EXPECT_EQ(word(16), 0xff00ff0000000112u);
}

// Packs without a fence between them may arrive in any order.
TEST_F(Packs, ASignalSharesThePackOfItsBytes) {
  while (sent().empty() && c.packing.load()->of_pe[1] == nullptr) ASSERT_EQ(add(1), outcome::done);
  while (c.packing.load()->of_pe[1]->used + 8 <= pack_bytes - 72) ASSERT_EQ(add(1), outcome::done);
  std::vector<char> bytes(64, 7);
  const put_signal_args args{
      .to = 512, .from = bytes.data(), .bytes = bytes.size(), .signal = 8, .value = 5, .op = signal_op::add};
  ASSERT_EQ(from.packs().add(c, put_signal_of(1, args)), outcome::done);
  EXPECT_EQ(sent().size(), 1u) << "the full pack has left";
  ASSERT_EQ(from.packs().send(c), outcome::done);
  ASSERT_EQ(sent().size(), 2u);
  deliver(sent()[1]);
  EXPECT_EQ(word(8), 5u);
  EXPECT_EQ(memory[512 + 63], 7);
}

TEST_F(Packs, AFenceSeparatesThem) {
  ASSERT_EQ(put_word(8, 1), outcome::done);
  flush_point point;
  EXPECT_EQ(from.fence(c, point), outcome::done);
  ASSERT_EQ(sent().size(), 1u);
  ASSERT_EQ(put_word(16, 2), outcome::done);
  EXPECT_EQ(sent().size(), 1u);
  EXPECT_EQ(deliver_all(), 1u);
  EXPECT_EQ(word(8), 1u);
  EXPECT_EQ(word(16), 0u);
}

TEST_F(Packs, LeaveByAge) {
  ASSERT_EQ(add(1), outcome::done);
  std::this_thread::sleep_for(std::chrono::nanoseconds(2 * pack_age_ns));
  EXPECT_EQ(from.progress(), 1);
  EXPECT_EQ(deliver_all(), 1u);
  EXPECT_EQ(from.progress(), 0);
}

TEST_F(Packs, LeaveAtTheEndOfTheSession) {
  EXPECT_TRUE(c.is_packing());
  ASSERT_EQ(add(1), outcome::done);
  session_packs::end_session(c);
  EXPECT_FALSE(c.is_packing());
  EXPECT_EQ(from.packs().send(c), outcome::done);
  EXPECT_EQ(deliver_all(), 1u);
}

// Between two sessions of contexts that share a channel.
TEST_F(Packs, SessionsOfOneChannelAreCounted) {
  ASSERT_TRUE(from.packs().begin_session(c));
  session_packs::end_session(c);
  EXPECT_TRUE(c.is_packing());
  session_packs::end_session(c);
  EXPECT_FALSE(c.is_packing());
}

// A thread that sleeps long is woken for the first pack only.
TEST_F(Packs, WakeAThreadThatDoesNotWatch) {
  EXPECT_FALSE(from.packs().watch()) << "an open session without packs needs no looks";
  const std::uint32_t before = from.wake_requests();
  ASSERT_EQ(add(1), outcome::done);
  EXPECT_EQ(from.wake_requests(), before + 1);
  EXPECT_TRUE(from.packs().watch());
  ASSERT_EQ(add(2), outcome::done);
  EXPECT_EQ(from.packs().send(c), outcome::done);
  ASSERT_EQ(add(1), outcome::done);
  EXPECT_EQ(from.wake_requests(), before + 1);
  EXPECT_TRUE(from.packs().watch());
  EXPECT_TRUE(from.packs().watch()) << "a pack is open";
  EXPECT_EQ(from.packs().send(c), outcome::done);
  EXPECT_FALSE(from.packs().watch());
  ASSERT_EQ(add(1), outcome::done);
  EXPECT_EQ(from.wake_requests(), before + 2);
}

// A stopped target delays nothing but its own packs, and they keep their place.
TEST_F(Packs, WaitForATargetThatRefuses) {
  wires[0].towards[1] = outcome::would_block;
  for (std::size_t i = 0; i < 3 * adds_in_a_pack; ++i) ASSERT_EQ(add(1), outcome::done);
  ASSERT_EQ(add(2, 8), outcome::done);
  flush_point point;
  EXPECT_EQ(from.flush(c, point), outcome::would_block);
  ASSERT_EQ(sent().size(), 1u);
  EXPECT_EQ(sent()[0].to, 2);
  deliver_all();
  EXPECT_EQ(from.flush(c, point), outcome::would_block);
  wires[0].towards.clear();
  EXPECT_EQ(from.progress(), 3);
  EXPECT_EQ(from.flush(c, point), outcome::would_block);
  EXPECT_EQ(deliver_all(), 3u);
  EXPECT_EQ(from.flush(c, point), outcome::done);
  EXPECT_EQ(word(0), 3 * adds_in_a_pack);
  EXPECT_EQ(word(8), 1u);
}

// More packs than a PE may have open requests towards one target.
TEST_F(Packs, WaitForReplies) {
  const std::size_t n = 70 * adds_in_a_pack;
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(add(1), outcome::done);
  flush_point point;
  EXPECT_EQ(from.flush(c, point), outcome::would_block);
  EXPECT_EQ(sent().size(), static_cast<std::size_t>(max_unawaited_requests_to_one));
  deliver_all();
  from.progress();
  deliver_all();
  EXPECT_EQ(from.flush(c, point), outcome::done);
  EXPECT_EQ(word(0), n);
}

TEST_F(Packs, TheirMemoryIsBounded) {
  for (int pe = 1; pe < n_pes; ++pe) ASSERT_EQ(add(pe), outcome::done);
  EXPECT_EQ(c.packing.load()->n_buffers, max_open_packs);
  std::size_t sum = sent().size();
  EXPECT_EQ(sum, static_cast<std::size_t>(n_pes - 1 - max_open_packs));
  flush_point point;
  for (int rounds = 0; rounds < 16 && from.flush(c, point) != outcome::done; ++rounds) {
    deliver_all();
    from.progress();
  }
  EXPECT_EQ(from.flush(c, point), outcome::done);
  EXPECT_EQ(word(0), static_cast<std::uint64_t>(n_pes - 1));
}

TEST_F(Packs, NameTheTargetThatIsLost) {
  ASSERT_EQ(add(7), outcome::done);
  wires[0].towards[7] = outcome::lost;
  flush_point point;
  EXPECT_EQ(from.flush(c, point), outcome::lost);
  EXPECT_EQ(c.failed_pe.load(), 7);
}

// A waiter that issues neither fence nor quiet learns of it, too.
TEST_F(Packs, ALostTargetFailsProgress) {
  ASSERT_EQ(add(7), outcome::done);
  wires[0].towards[7] = outcome::lost;
  std::this_thread::sleep_for(std::chrono::nanoseconds(2 * pack_age_ns));
  EXPECT_EQ(from.progress(), -1);
  EXPECT_EQ(c.failed_pe.load(), 7);
}

TEST_F(Packs, MalformedOnesChangeNothing) {
  ASSERT_EQ(put_word(slice_bytes - 4, 1), outcome::done);
  ASSERT_EQ(from.packs().send(c), outcome::done);
  std::vector<sent_message> all;
  all.swap(sent());
  deliver(all[0]);
  EXPECT_TRUE(wires[1].sent.empty());
  all[0].bytes.resize(all[0].bytes.size() - 1);
  deliver(all[0]);
  EXPECT_TRUE(wires[1].sent.empty());
}

// A full reply leaves no room for the next get.
TEST_F(Packs, AThousandGetsAreTwoMessagesAndTwoReplies) {
  std::vector<std::uint64_t> to(1000, unset);
  for (std::size_t i = 0; i < to.size(); ++i) store(8 * i, 3 * i);
  for (std::size_t i = 0; i < to.size(); ++i) ASSERT_EQ(get_word(1, 8 * i, to[i]), outcome::done);
  EXPECT_EQ(sent().size(), to.size() / words_in_a_pack);
  flush_point point;
  EXPECT_EQ(from.flush(c, point), outcome::would_block);
  ASSERT_EQ(sent().size(), 2u);
  EXPECT_EQ(sent()[0].bytes.size(), pack_bytes);
  EXPECT_EQ(from.flush(c, point), outcome::would_block) << "no value is here";
  EXPECT_EQ(to[0], unset);
  EXPECT_EQ(deliver_all(), 2u);
  EXPECT_EQ(n_replies, 2u);
  for (std::size_t i = 0; i < to.size(); ++i) ASSERT_EQ(to[i], 3 * i);
  EXPECT_EQ(from.flush(c, point), outcome::done);
  EXPECT_TRUE(c.requests.is_idle());
}

TEST_F(Packs, GetEveryByteOfEveryLength) {
  for (std::size_t i = 0; i < slice_bytes; ++i) memory[i] = static_cast<char>(i * 7 + i / 256);
  std::vector<char> to(2 * most_packed_bytes * most_packed_bytes, 0), expected(to.size(), 0);
  std::size_t at = 1, n_messages = 0, in_reply = sizeof(pack_head);
  for (std::size_t n = 1; n <= most_packed_bytes; ++n) {
    ASSERT_EQ(from.packs().add(c, get_of(1, to.data() + at, 3 * n, n)), outcome::done);
    memcpy(expected.data() + at, memory.get() + 3 * n, n);
    at += n + 1;  // a byte between two destinations stays as it was
    const std::size_t words = (n + 7) / 8 * 8;
    if (in_reply + words > pack_bytes) ++n_messages, in_reply = sizeof(pack_head);
    in_reply += words;
  }
  ASSERT_EQ(from.packs().send(c), outcome::done);
  EXPECT_EQ(deliver_all(), n_messages + 1);
  EXPECT_EQ(n_replies, n_messages + 1);
  EXPECT_EQ(memcmp(to.data(), expected.data(), to.size()), 0);
}

TEST_F(Packs, FetchByAllOperationsInOrder) {
  std::uint64_t before[10];
  std::size_t n = 0;
  const auto fetch = [&](operation op, width bytes, std::uint64_t value, std::uint64_t compare = 0) {
    before[n] = unset;
    const atomic_op what{.op = op, .bytes = bytes, .fetches = true, .value = value, .compare = compare};
    ASSERT_EQ(from.packs().add(c, atomic_of(1, 16, what, &before[n++])), outcome::done);
  };
  store(16, 5);
  fetch(operation::fetch, width::eight, 0);
  fetch(operation::add, width::eight, 0xff00000000);
  ASSERT_EQ(add(1, 16), outcome::done);
  fetch(operation::swap, width::four, 0x12345678);
  fetch(operation::compare_swap, width::four, 0x77, 0x12345678);
  fetch(operation::compare_swap, width::four, 0x66, 0x12345678);
  fetch(operation::bit_or, width::eight, 0x8);
  fetch(operation::compare_swap, width::eight, UINT64_MAX, 0xff0000007f);
  fetch(operation::bit_and, width::eight, 0xffff);
  fetch(operation::bit_xor, width::four, 0xf);
  ASSERT_EQ(from.packs().send(c), outcome::done);
  EXPECT_EQ(deliver_all(), 1u);
  constexpr std::uint64_t high = 0xeeeeeeee00000000;  // not part of a result of four bytes
  const std::uint64_t expected[] = {
      5, 5, high | 6, high | 0x12345678, high | 0x77, 0xff00000077, 0xff0000007f, UINT64_MAX, high | 0xffff};
  ASSERT_EQ(n, std::size(expected));
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(before[i], expected[i]) << i;
  EXPECT_EQ(word(16), 0xfff0u);
}

// One pack holds all kinds, whose values are in the order of the calls.
TEST_F(Packs, GetsAndPutsShareThem) {
  std::uint64_t first = unset, second = unset, old = unset;
  ASSERT_EQ(get_word(1, 8, first), outcome::done);
  ASSERT_EQ(put_word(8, 7), outcome::done);
  ASSERT_EQ(from.packs().add(c, atomic_of(1, 8, add_one, &old)), outcome::done);
  ASSERT_EQ(get_word(1, 8, second), outcome::done);
  ASSERT_EQ(from.packs().send(c), outcome::done);
  EXPECT_EQ(deliver_all(), 1u);
  EXPECT_EQ(n_replies, 1u);
  EXPECT_EQ(first, 0u);
  EXPECT_EQ(old, 7u);
  EXPECT_EQ(second, 8u);
}

// The put has left when the fence returns, and the get is behind it.
TEST_F(Packs, AGetBehindAFenceSeesThePut) {
  std::uint64_t to = unset;
  ASSERT_EQ(put_word(8, 7), outcome::done);
  flush_point point;
  EXPECT_EQ(from.fence(c, point), outcome::done);
  ASSERT_EQ(get_word(1, 8, to), outcome::done);
  EXPECT_EQ(sent().size(), 1u);
  ASSERT_EQ(from.packs().send(c), outcome::done);
  EXPECT_EQ(sent().size(), 2u);
  deliver_all();
  EXPECT_EQ(to, 7u);
}

TEST_F(Packs, GetsLeaveByAge) {
  std::uint64_t to = unset;
  store(8, 3);
  ASSERT_EQ(get_word(1, 8, to), outcome::done);
  std::this_thread::sleep_for(std::chrono::nanoseconds(2 * pack_age_ns));
  EXPECT_EQ(from.progress(), 1);
  EXPECT_EQ(deliver_all(), 1u);
  EXPECT_EQ(to, 3u);
}

// The calls towards a stopped target return until the queue is full. They count the memory for the results, too.
TEST_F(Packs, GetsFromATargetThatRefusesAreBounded) {
  wires[0].towards[1] = outcome::would_block;
  std::vector<std::uint64_t> to(max_deferred_payload / 8, unset);
  std::size_t n = 0;
  while (n < to.size() && get_word(1, 8 * (n % 100), to[n]) == outcome::done) ++n;
  ASSERT_LT(n, to.size()) << "nothing bounds the queue";
  constexpr std::size_t each = sizeof(pack) + pack_bytes + memory_of_results(pack_bytes);
  EXPECT_EQ(n, (max_deferred_payload / each + 1) * words_in_a_pack);
  std::uint64_t other = unset;
  EXPECT_EQ(get_word(2, 8, other), outcome::done) << "another target has room";
  store(8, 4);
  wires[0].towards.clear();
  flush_point point;
  std::size_t n_messages = 0;
  for (int rounds = 0; rounds < 100 && from.flush(c, point) != outcome::done; ++rounds) {
    from.progress();
    n_messages += deliver_all();
  }
  EXPECT_EQ(from.flush(c, point), outcome::done);
  EXPECT_EQ(n_messages, n / words_in_a_pack + 1);
  EXPECT_EQ(n_replies, n_messages);
  EXPECT_EQ(other, 4u);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(to[i], i % 100 == 1 ? 4u : 0u) << i;
}

// Nothing is stored, and the flush goes on waiting.
TEST_F(Packs, RepliesOfAnotherLengthAreIgnored) {
  std::uint64_t to = unset;
  store(8, 3);
  ASSERT_EQ(get_word(1, 8, to), outcome::done);
  flush_point point;
  EXPECT_EQ(from.flush(c, point), outcome::would_block);
  ASSERT_EQ(sent().size(), 1u);
  apply(sent()[0]);
  std::vector<char> reply = wires[1].sent.at(0).bytes;
  reply.resize(reply.size() - 1);
  answer(1, reply);
  reply.resize(reply.size() + 9);
  answer(1, reply);
  EXPECT_EQ(to, unset);
  EXPECT_EQ(from.flush(c, point), outcome::would_block);
  answer(1, wires[1].sent[0].bytes);
  EXPECT_EQ(to, 3u);
  EXPECT_EQ(from.flush(c, point), outcome::done);
}

// No requester sends a pack whose values do not fit into one reply.
TEST_F(Packs, OnesWithTooLongAReplyAreIgnored) {
  std::vector<char> to(most_packed_bytes);
  std::uint64_t word = unset;
  ASSERT_EQ(from.packs().add(c, get_of(1, to.data(), 0, to.size())), outcome::done);
  ASSERT_EQ(get_word(1, 8, word), outcome::done);
  ASSERT_EQ(from.packs().send(c), outcome::done);
  sent_message m = sent()[0];
  const char* const first = m.bytes.data() + sizeof(pack_head);
  const std::vector<char> record(first, first + 8);
  for (int i = 0; i < 15; ++i) m.bytes.insert(m.bytes.end(), record.begin(), record.end());
  apply(m);
  EXPECT_EQ(n_replies, 0u);
  deliver_all();
  EXPECT_EQ(n_replies, 1u);
}

// Requests without a reply own their results until the endpoint closes; the address sanitizer finds lost memory.
TEST_F(Packs, TheirResultsEndWithTheEndpoint) {
  std::uint64_t to[2] = {unset, unset};
  ASSERT_EQ(get_word(1, 8, to[0]), outcome::done);
  ASSERT_EQ(from.packs().send(c), outcome::done);
  wires[0].towards[2] = outcome::would_block;
  ASSERT_EQ(get_word(2, 8, to[1]), outcome::done);
  ASSERT_EQ(from.packs().send(c), outcome::done);
  ASSERT_EQ(get_word(3, 8, to[1]), outcome::done);
  EXPECT_EQ(sent().size(), 1u);
}

TEST_F(Packs, AnOrderedChannelHasNone) {
  channel flags;
  ASSERT_TRUE(from.open_channel(flags, ordered));
  EXPECT_FALSE(from.packs().begin_session(flags));
  from.close_channel(flags);
}

// ---- small additions ----------------------------------------------------------------------------------------------

struct small_case {
  std::int64_t value;
  bool is_small;
};
constexpr small_case small_cases[] = {{0, true},
                                      {1, true},
                                      {-1, true},
                                      {max_small_value, true},
                                      {min_small_value, true},
                                      {max_small_value + 1, false},
                                      {min_small_value - 1, false},
                                      {INT32_MAX, false},
                                      {INT32_MIN, false}};

std::uint64_t low_half(std::int64_t value) { return static_cast<std::uint32_t>(value); }

TEST_F(Packs, SmallAdditionsAreOneWord) {
  for (const auto [value, is_small] : small_cases) {
    const atomic_op wide{.op = operation::add,
                         .bytes = width::eight,
                         .fetches = false,
                         .value = static_cast<std::uint64_t>(value),
                         .compare = 0};
    const atomic_op narrow{
        .op = operation::add, .bytes = width::four, .fetches = false, .value = low_half(value), .compare = 0};
    store(16, 0x0123456789abcdef);
    store(24, 0x0123456789abcdef);
    ASSERT_EQ(from.packs().add(c, atomic_of(1, 16, wide, nullptr)), outcome::done);
    ASSERT_EQ(from.packs().add(c, atomic_of(1, 28, narrow, nullptr)), outcome::done);
    ASSERT_EQ(from.packs().send(c), outcome::done);
    EXPECT_EQ(sent().at(0).bytes.size(), sizeof(pack_head) + (is_small ? 16 : 32)) << value;
    deliver_all();
    EXPECT_EQ(word(16), 0x0123456789abcdef + static_cast<std::uint64_t>(value));
    EXPECT_EQ(word(24) & UINT32_MAX, 0x89abcdefu) << "the other half of the word";
    EXPECT_EQ(word(24) >> 32, low_half(0x01234567 + value));
  }
}

TEST_F(Packs, SmallAdditionsFetch) {
  store(16, 40);
  std::uint64_t wide = unset, narrow = unset, last = unset;
  const auto fetch = [&](width bytes, std::uint64_t value, std::uint64_t& to) {
    const atomic_op what{.op = operation::add, .bytes = bytes, .fetches = true, .value = value, .compare = 0};
    ASSERT_EQ(from.packs().add(c, atomic_of(1, 16, what, &to)), outcome::done);
  };
  fetch(width::eight, UINT64_MAX, wide);
  fetch(width::four, UINT32_MAX, narrow);
  fetch(width::eight, 0, last);
  ASSERT_EQ(from.packs().send(c), outcome::done);
  EXPECT_EQ(sent().at(0).bytes.size(), sizeof(pack_head) + 24);
  deliver_all();
  EXPECT_EQ(wide, 40u);
  EXPECT_EQ(narrow & UINT32_MAX, 39u);
  EXPECT_EQ(last, 38u);
}

// A set of a small value has its operand, and is no addition.
TEST_F(Packs, OnlyAdditionsAreSmall) {
  const atomic_op set{.op = operation::set, .bytes = width::eight, .fetches = false, .value = 1, .compare = 0};
  store(16, 7);
  ASSERT_EQ(from.packs().add(c, atomic_of(1, 16, set, nullptr)), outcome::done);
  ASSERT_EQ(add(1, 16), outcome::done);
  ASSERT_EQ(from.packs().send(c), outcome::done);
  EXPECT_EQ(sent().at(0).bytes.size(), sizeof(pack_head) + 24);
  deliver_all();
  EXPECT_EQ(word(16), 2u);
}

TEST_F(Packs, ShortFormsNeedAnOpenPackWithRoom) {
  std::uint64_t to[2] = {unset, unset};
  const packed_op add_two = packed_change(16, operation::add, width::eight, false, 2);
  const packed_op get{.at = 16, .op = operation::fetch, .fetches = true, .bytes = 8};
  channel other;
  ASSERT_TRUE(from.open_channel(other, 0));
  EXPECT_FALSE(session_packs::add_quickly(other, 1, add_two)) << "it never packed";
  EXPECT_FALSE(session_packs::get_quickly(other, 1, get, to)) << "it never packed";
  from.close_channel(other);
  EXPECT_FALSE(session_packs::add_quickly(c, 1, add_two));
  ASSERT_EQ(add(1, 16), outcome::done);
  EXPECT_TRUE(session_packs::add_quickly(c, 1, add_two));
  EXPECT_FALSE(session_packs::get_quickly(c, 1, get, to)) << "nothing has been fetched";
  EXPECT_FALSE(session_packs::add_quickly(c, 2, add_two));
  ASSERT_EQ(get_word(1, 16, to[0]), outcome::done);
  EXPECT_TRUE(session_packs::get_quickly(c, 1, get, to + 1));
  std::size_t n = 4;
  while (session_packs::add_quickly(c, 1, add_two)) ++n;
  EXPECT_EQ(n, adds_in_a_pack);
  EXPECT_FALSE(session_packs::get_quickly(c, 1, get, to + 1));
  session_packs::end_session(c);
  ASSERT_EQ(from.packs().send(c), outcome::done);
  EXPECT_EQ(deliver_all(), 1u);
  EXPECT_EQ(to[0], 3u);
  EXPECT_EQ(to[1], 3u);
  EXPECT_EQ(word(16), 1 + 2 * (n - 3));
}

TEST_F(Packs, ShortFormsEndWithTheSession) {
  ASSERT_EQ(add(1, 16), outcome::done);
  session_packs::end_session(c);
  EXPECT_FALSE(session_packs::add_quickly(c, 1, packed_change(16, operation::add, width::eight, false, 1)));
  ASSERT_TRUE(from.packs().begin_session(c));
}

TEST_F(Packs, AShortGetNeedsRoomInTheReply) {
  constexpr std::size_t pairs_in_a_reply = (pack_bytes - sizeof(pack_head)) / 16;
  std::uint64_t to[pairs_in_a_reply + 1][2];
  const packed_op get{.at = 16, .op = operation::fetch, .fetches = true, .bytes = 16};
  ASSERT_EQ(from.packs().add(c, get_of(1, to[0], 16, 16)), outcome::done);
  std::size_t n = 1;
  while (n <= pairs_in_a_reply && session_packs::get_quickly(c, 1, get, to[n])) ++n;
  EXPECT_EQ(n, pairs_in_a_reply);
}

// Offsets have 48 bits.
TEST_F(Packs, ALargerSliceIsNotPacked) {
  for (const std::size_t over : {0u, 1u}) {
    char why[64];
    open_params how;
    how.pe = 1;
    how.n_pes = n_pes;
    how.slice_bytes = (std::size_t{1} << 48) - 1 + over;
    endpoint large;
    channel of_large;
    ASSERT_TRUE(large.open(kept_transport, how, why, sizeof why));
    ASSERT_TRUE(large.open_channel(of_large, 0));
    EXPECT_EQ(large.packs().begin_session(of_large), over == 0);
    large.close_channel(of_large);
    large.close();
  }
}

constexpr std::uint64_t code_bit = std::uint64_t{1} << 48;

// A pack with one record of one word.
sent_message pack_of(std::uint64_t record) {
  const pack_head head{.kind = am_kind::pack, .unused = {}, .number = 0};
  sent_message m{1, false, std::vector<char>(sizeof head + sizeof record)};
  memcpy(m.bytes.data(), &head, sizeof head);
  memcpy(m.bytes.data() + sizeof head, &record, sizeof record);
  return m;
}

TEST_F(Packs, MalformedSmallAdditionsAreIgnored) {
  constexpr std::uint64_t four = 8 * code_bit, eight = 9 * code_bit, one = std::uint64_t{1} << 53;
  for (const std::uint64_t bad :
       {eight | 4, eight | 1, eight | slice_bytes, eight | (slice_bytes - 4), eight | (code_bit - 8), four | 2,
        four | slice_bytes, four | (slice_bytes - 2), four | (code_bit - 4)})
    apply(pack_of(bad | one));
  for (std::uint64_t code = 10; code < 16; ++code) apply(pack_of(code * code_bit | one));
  EXPECT_EQ(n_replies, 0u);
  for (std::size_t i = 0; i < slice_bytes; ++i) ASSERT_EQ(memory[i], 0);
  apply(pack_of(eight | (slice_bytes - 8) | one));
  apply(pack_of(four | (slice_bytes - 4) | one));
  EXPECT_EQ(n_replies, 2u);
  EXPECT_EQ(word(slice_bytes - 8), 0x100000001u);
}

// Random packs, whose fields are often nearly right, change nothing around the slice and get no longer reply than the
// transport takes.
TEST_F(Packs, RandomOnesStayInTheSlice) {
  constexpr std::size_t room = 512, guard = 64;
  alignas(8) char around[guard + room + guard];
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int i = 0; i < 20000; ++i) {
    memset(around, 0x5a, sizeof around);
    std::vector<char> message(sizeof(pack_head) + below(600));
    for (char& byte : message) byte = static_cast<char>(random());
    for (std::size_t at = sizeof(pack_head); at + 8 <= message.size(); at += 8) {
      if (below(4) == 0) continue;
      const std::uint64_t record = (below(8) * 8 + below(room + 16)) | below(16) * code_bit | below(2) << 52 |
                                   (below(2) == 0 ? below(2048) : std::uint64_t{4} << below(2)) << 53;
      memcpy(message.data() + at, &record, sizeof record);
    }
    pack_reply reply;
    reply.room = 64;
    const std::size_t slice = below(8) == 0 ? below(16) : room;
    apply_records(around + guard, slice, message.data(), message.size(), reply);
    ASSERT_LE(reply.used, reply.room);
    for (std::size_t j = 0; j < guard; ++j) ASSERT_EQ(around[j], 0x5a);
    for (std::size_t j = guard + slice; j < sizeof around; ++j) ASSERT_EQ(around[j], 0x5a);
  }
}

// ---- over a transport with long messages ------------------------------------------------------------------------

class LongPacks : public Packs {
 protected:
  void SetUp() override {
    longest_message = long_pack_bytes + 8;  // more than a pack uses
    Packs::SetUp();
  }
  void TearDown() override {
    Packs::TearDown();
    longest_message = pack_bytes;
  }
  void flush_all() {
    flush_point point;
    for (int rounds = 0; rounds < 16 && from.flush(c, point) != outcome::done; ++rounds) {
      deliver_all();
      from.progress();
    }
    ASSERT_EQ(from.flush(c, point), outcome::done);
  }
};
constexpr std::size_t adds_in_a_long_pack = (long_pack_bytes - sizeof(pack_head)) / 8;
constexpr std::size_t words_in_a_long_reply = (long_reply_bytes - sizeof(pack_head)) / 8;

TEST_F(LongPacks, TenThousandAddsAreThreeMessagesAndThreeReplies) {
  static_assert(adds_in_a_long_pack == 4095);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(add(1), outcome::done);
  EXPECT_EQ(sent().size(), 2u);
  EXPECT_EQ(sent()[0].bytes.size(), long_pack_bytes);
  flush_point point;
  EXPECT_EQ(from.flush(c, point), outcome::would_block);
  EXPECT_EQ(deliver_all(), 3u);
  EXPECT_EQ(n_replies, 3u);
  EXPECT_EQ(word(0), 10000u);
  EXPECT_EQ(from.flush(c, point), outcome::done);
  EXPECT_TRUE(c.requests.is_idle());
}

TEST_F(LongPacks, AFullOneLeavesWithTheNextAdd) {
  for (std::size_t i = 0; i < adds_in_a_long_pack; ++i) ASSERT_EQ(add(1), outcome::done);
  EXPECT_TRUE(sent().empty());
  ASSERT_EQ(add(1), outcome::done);
  EXPECT_EQ(sent().size(), 1u);
  flush_all();
  EXPECT_EQ(word(0), adds_in_a_long_pack + 1);
}

TEST_F(LongPacks, GetsLeaveWhenTheirReplyIsFull) {
  static_assert(words_in_a_long_reply == 2047);
  std::vector<std::uint64_t> to(words_in_a_long_reply + 1, unset);
  for (std::size_t i = 0; i < to.size(); ++i) store(8 * i, 3 * i);
  for (std::size_t i = 0; i < words_in_a_long_reply; ++i) ASSERT_EQ(get_word(1, 8 * i, to[i]), outcome::done);
  EXPECT_TRUE(sent().empty());
  ASSERT_EQ(get_word(1, 8 * words_in_a_long_reply, to[words_in_a_long_reply]), outcome::done);
  EXPECT_EQ(sent().size(), 1u);
  flush_all();
  EXPECT_EQ(n_replies, 2u);
  for (std::size_t i = 0; i < to.size(); ++i) ASSERT_EQ(to[i], 3 * i);
}

// Its list of results is shorter than that of a long pack.
TEST_F(LongPacks, AShortOneHasAShortReply) {
  for (int pe = 2; pe <= max_long_packs + 1; ++pe) ASSERT_EQ(add(pe), outcome::done);
  constexpr std::size_t pairs_in_a_reply = (pack_bytes - sizeof(pack_head)) / 16;
  std::uint64_t to[pairs_in_a_reply + 1][2];
  memset(to, 0xee, sizeof to);
  for (std::size_t i = 0; i < pairs_in_a_reply; ++i)
    ASSERT_EQ(from.packs().add(c, get_of(1, to[i], 8, 16)), outcome::done);
  ASSERT_FALSE(c.packing.load()->of_pe[1]->is_long());
  EXPECT_TRUE(sent().empty());
  ASSERT_EQ(from.packs().add(c, get_of(1, to[pairs_in_a_reply], 8, 16)), outcome::done);
  EXPECT_EQ(sent().size(), 1u);
  flush_all();
  for (const auto& pair : to) ASSERT_EQ(pair[0] | pair[1], 0u);
}

// The targets beyond the long packs get short ones. Both kinds are used again, the long ones first.
TEST_F(LongPacks, TheirNumberIsBounded) {
  for (int pe = 1; pe < n_pes; ++pe) ASSERT_EQ(add(pe), outcome::done);
  const packer& p = *c.packing.load();
  EXPECT_EQ(p.n_buffers, max_open_packs);
  EXPECT_EQ(p.n_long, max_long_packs);
  flush_all();
  sent().clear();
  for (int pe = 1; pe <= max_long_packs + 1; ++pe) ASSERT_EQ(add(pe), outcome::done);
  EXPECT_TRUE(p.of_pe[max_long_packs]->is_long());
  EXPECT_FALSE(p.of_pe[max_long_packs + 1]->is_long());
  for (std::size_t i = 0; i < adds_in_a_pack; ++i) ASSERT_EQ(add(max_long_packs), outcome::done);
  EXPECT_TRUE(sent().empty());
  for (std::size_t i = 0; i < adds_in_a_pack; ++i) ASSERT_EQ(add(max_long_packs + 1), outcome::done);
  EXPECT_EQ(sent().size(), 1u);
  EXPECT_LE(p.n_buffers, max_open_packs);
  flush_all();
}

// A deferred pack takes its place with it, and leaves it to the next one.
TEST_F(LongPacks, DeferredOnesAreNotCounted) {
  wires[0].towards[1] = outcome::would_block;
  for (std::size_t i = 0; i < 3 * adds_in_a_long_pack; ++i) ASSERT_EQ(add(1), outcome::done);
  EXPECT_EQ(c.packing.load()->n_long, 1);
  wires[0].towards.clear();
  from.progress();
  EXPECT_GE(sent().size(), 2u);  // an open pack leaves too if it is old
  flush_all();
  EXPECT_EQ(word(0), 3 * adds_in_a_long_pack);
}

}  // namespace
}  // namespace oshen::transport
