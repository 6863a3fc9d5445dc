// Packed operations of a session, over a transport that keeps messages until the test delivers them.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "transport/endpoint.hpp"

namespace oshen::transport {
namespace {

constexpr int n_pes = 1200;
constexpr std::size_t slice_bytes = 65536;
constexpr std::size_t adds_in_a_pack = (pack_bytes - sizeof(pack_head)) / 16;
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
void close(instance*) {}
const char* explain(instance*) { return "the test says so"; }
stream* stream_open(instance* i, unsigned) { return reinterpret_cast<stream*>(i); }
void stream_close(stream*) {}
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

constexpr transport kept_transport{.size = sizeof(transport),
                                   .name = "kept",
                                   .title = "",
                                   .available = nullptr,
                                   .rank = nullptr,
                                   .offers = nullptr,
                                   .open = open,
                                   .local_address = nullptr,
                                   .connect = nullptr,
                                   .explain = explain,
                                   .close = close,
                                   .stream_open = stream_open,
                                   .stream_close = stream_close,
                                   .put = put,
                                   .get = nullptr,
                                   .send = send,
                                   .fence = fence,
                                   .flush = flush,
                                   .progress = progress,
                                   .wait_fd = nullptr,
                                   .may_block = nullptr,
                                   .put_signal = nullptr,
                                   .atomic = nullptr};

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
    ASSERT_TRUE(from.start_packing(c));
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
  outcome add(int pe, std::uint64_t at = 0) { return from.pack_atomic(c, pe, at, add_one, nullptr); }
  outcome get_word(int pe, std::uint64_t at, std::uint64_t& to) { return from.pack_get(c, pe, &to, at, sizeof to); }
  outcome put_word(std::uint64_t to, std::uint64_t value) { return from.pack_put(c, 1, to, &value, sizeof value); }

  endpoint from, target;
  channel c;
  std::unique_ptr<char[]> memory = std::make_unique<char[]>(slice_bytes);
  std::size_t n_replies = 0;
};

TEST_F(Packs, AThousandAddsAreFourMessagesAndFourReplies) {
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(add(1), outcome::done);
  EXPECT_EQ(sent().size(), 1000 / adds_in_a_pack);
  flush_point point;
  EXPECT_EQ(from.flush(c, point), outcome::would_block);
  EXPECT_EQ(sent().size(), 4u);
  EXPECT_EQ(from.flush(c, point), outcome::would_block) << "nothing has been acknowledged";
  EXPECT_EQ(word(0), 0u);
  EXPECT_EQ(deliver_all(), 4u);
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
    ASSERT_EQ(from.pack_put(c, 1, to, bytes.data(), n), outcome::done);
    memcpy(expected.data() + to, bytes.data(), n);
    memset(bytes.data(), 0, n);  // the source may be reused at once
    to += n + 1;
  }
  ASSERT_EQ(from.send_packs(c), outcome::done);
  deliver_all();
  EXPECT_EQ(memcmp(memory.get(), expected.data(), slice_bytes), 0);
}

TEST_F(Packs, ApplyAllOperationsInOrder) {
  const auto change = [&](operation op, width bytes, std::uint64_t value) {
    const atomic_op what{.op = op, .bytes = bytes, .fetches = false, .value = value, .compare = 0};
    ASSERT_EQ(from.pack_atomic(c, 1, 16, what, nullptr), outcome::done);
  };
  ASSERT_EQ(put_word(16, UINT64_MAX), outcome::done);
  change(operation::set, width::eight, 0xff00ff00000000f0);
  change(operation::add, width::four, 0x20);  // carries nothing into the upper half
  change(operation::bit_or, width::eight, 0x3);
  change(operation::bit_and, width::four, 0xff3);
  change(operation::bit_xor, width::eight, 0x1);
  ASSERT_EQ(from.send_packs(c), outcome::done);
  EXPECT_EQ(deliver_all(), 1u);
  EXPECT_EQ(word(16), 0xff00ff0000000112u);
}

// Packs without a fence between them may arrive in any order.
TEST_F(Packs, ASignalSharesThePackOfItsBytes) {
  while (sent().empty() && c.packing.load()->of_pe[1] == nullptr) ASSERT_EQ(add(1), outcome::done);
  while (c.packing.load()->of_pe[1]->used + 16 <= pack_bytes - 32) ASSERT_EQ(add(1), outcome::done);
  std::vector<char> bytes(64, 7);
  const put_signal_args args{
      .to = 512, .from = bytes.data(), .bytes = bytes.size(), .signal = 8, .value = 5, .op = signal_op::add};
  ASSERT_EQ(from.pack_signal(c, 1, args), outcome::done);
  EXPECT_EQ(sent().size(), 1u) << "the full pack has left";
  ASSERT_EQ(from.send_packs(c), outcome::done);
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
  EXPECT_TRUE(endpoint::packs(c));
  ASSERT_EQ(add(1), outcome::done);
  endpoint::stop_packing(c);
  EXPECT_FALSE(endpoint::packs(c));
  EXPECT_EQ(from.send_packs(c), outcome::done);
  EXPECT_EQ(deliver_all(), 1u);
}

// Between two sessions of contexts that share a channel.
TEST_F(Packs, SessionsOfOneChannelAreCounted) {
  ASSERT_TRUE(from.start_packing(c));
  endpoint::stop_packing(c);
  EXPECT_TRUE(endpoint::packs(c));
  endpoint::stop_packing(c);
  EXPECT_FALSE(endpoint::packs(c));
}

// A thread that sleeps long is woken for the first pack only.
TEST_F(Packs, WakeAThreadThatDoesNotWatch) {
  EXPECT_FALSE(from.watch_packs()) << "an open session without packs needs no looks";
  const std::uint32_t before = from.wake_requests();
  ASSERT_EQ(add(1), outcome::done);
  EXPECT_EQ(from.wake_requests(), before + 1);
  EXPECT_TRUE(from.watch_packs());
  ASSERT_EQ(add(2), outcome::done);
  EXPECT_EQ(from.send_packs(c), outcome::done);
  ASSERT_EQ(add(1), outcome::done);
  EXPECT_EQ(from.wake_requests(), before + 1);
  EXPECT_TRUE(from.watch_packs());
  EXPECT_TRUE(from.watch_packs()) << "a pack is open";
  EXPECT_EQ(from.send_packs(c), outcome::done);
  EXPECT_FALSE(from.watch_packs());
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
  ASSERT_EQ(from.send_packs(c), outcome::done);
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
    ASSERT_EQ(from.pack_get(c, 1, to.data() + at, 3 * n, n), outcome::done);
    memcpy(expected.data() + at, memory.get() + 3 * n, n);
    at += n + 1;  // a byte between two destinations stays as it was
    const std::size_t words = (n + 7) / 8 * 8;
    if (in_reply + words > pack_bytes) ++n_messages, in_reply = sizeof(pack_head);
    in_reply += words;
  }
  ASSERT_EQ(from.send_packs(c), outcome::done);
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
    ASSERT_EQ(from.pack_atomic(c, 1, 16, what, &before[n++]), outcome::done);
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
  ASSERT_EQ(from.send_packs(c), outcome::done);
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
  ASSERT_EQ(from.pack_atomic(c, 1, 8, add_one, &old), outcome::done);
  ASSERT_EQ(get_word(1, 8, second), outcome::done);
  ASSERT_EQ(from.send_packs(c), outcome::done);
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
  ASSERT_EQ(from.send_packs(c), outcome::done);
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
  constexpr std::size_t each = sizeof(pack) + pack_bytes + sizeof(pack_results);
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
  ASSERT_EQ(from.pack_get(c, 1, to.data(), 0, to.size()), outcome::done);
  ASSERT_EQ(get_word(1, 8, word), outcome::done);
  ASSERT_EQ(from.send_packs(c), outcome::done);
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
  ASSERT_EQ(from.send_packs(c), outcome::done);
  wires[0].towards[2] = outcome::would_block;
  ASSERT_EQ(get_word(2, 8, to[1]), outcome::done);
  ASSERT_EQ(from.send_packs(c), outcome::done);
  ASSERT_EQ(get_word(3, 8, to[1]), outcome::done);
  EXPECT_EQ(sent().size(), 1u);
}

TEST_F(Packs, AnOrderedChannelHasNone) {
  channel flags;
  ASSERT_TRUE(from.open_channel(flags, ordered));
  EXPECT_FALSE(from.start_packing(flags));
  from.close_channel(flags);
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
constexpr std::size_t adds_in_a_long_pack = (long_pack_bytes - sizeof(pack_head)) / 16;

TEST_F(LongPacks, TenThousandAddsAreFiveMessagesAndFiveReplies) {
  static_assert(adds_in_a_long_pack == 2047);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(add(1), outcome::done);
  EXPECT_EQ(sent().size(), 4u);
  EXPECT_EQ(sent()[0].bytes.size(), sizeof(pack_head) + 16 * adds_in_a_long_pack);
  flush_point point;
  EXPECT_EQ(from.flush(c, point), outcome::would_block);
  EXPECT_EQ(deliver_all(), 5u);
  EXPECT_EQ(n_replies, 5u);
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

// The reply of a long pack is as short as others.
TEST_F(LongPacks, GetsLeaveWhenTheirReplyIsFull) {
  std::vector<std::uint64_t> to(words_in_a_pack + 1, unset);
  for (std::size_t i = 0; i < words_in_a_pack; ++i) ASSERT_EQ(get_word(1, 8 * i, to[i]), outcome::done);
  EXPECT_TRUE(sent().empty());
  ASSERT_EQ(get_word(1, 0, to[words_in_a_pack]), outcome::done);
  EXPECT_EQ(sent().size(), 1u);
  flush_all();
  EXPECT_EQ(n_replies, 2u);
  EXPECT_EQ(to[words_in_a_pack], 0u);
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
