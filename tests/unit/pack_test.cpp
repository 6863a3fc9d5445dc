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
wire wires[2];  // of the requester, PE 0, and of the target, which stands for all other PEs

outcome result_of(const wire& w, int pe) {
  const auto found = w.towards.find(pe);
  return found == w.towards.end() ? outcome::done : found->second;
}

bool open(const open_params& how, instance** made, attributes* properties, char*, std::size_t) {
  wire& mine = wires[how.pe];
  mine = {.how = how, .towards = {}, .sent = {}};
  properties->message_bytes = pack_bytes;
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
    wire& at = wires[1];
    at.sent.clear();
    at.how.on_message(at.how.owner, 0, m.bytes.data(), m.bytes.size());
    for (const sent_message& reply : at.sent)
      wires[0].how.on_message(wires[0].how.owner, m.to, reply.bytes.data(), reply.bytes.size());
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
  outcome add(int pe, std::uint64_t at = 0) { return from.pack_atomic(c, pe, at, add_one); }
  outcome put_word(std::uint64_t to, std::uint64_t value) { return from.pack_put(c, 1, to, &value, sizeof value); }

  endpoint from, target;
  channel c;
  std::unique_ptr<char[]> memory = std::make_unique<char[]>(slice_bytes);
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
    ASSERT_EQ(from.pack_atomic(c, 1, 16, {.op = op, .bytes = bytes, .fetches = false, .value = value, .compare = 0}),
              outcome::done);
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

TEST_F(Packs, AnOrderedChannelHasNone) {
  channel flags;
  ASSERT_TRUE(from.open_channel(flags, ordered));
  EXPECT_FALSE(from.start_packing(flags));
  from.close_channel(flags);
}

}  // namespace
}  // namespace oshen::transport
