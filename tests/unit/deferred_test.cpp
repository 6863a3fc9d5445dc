// Deferred operations and AM requests of an endpoint, over a transport that accepts, refuses or loses operations as the
// test demands.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "support/make_transport.hpp"
#include "transport/endpoint.hpp"

namespace oshen::transport {
namespace {

struct message {
  int pe;
  std::vector<char> bytes;
};

struct scripted {
  open_params how;
  std::map<int, outcome> towards;   // what operations towards a PE return; missing: done
  std::vector<std::uint64_t> puts;  // their offsets, in order
  std::vector<message> requests;
  bool reads_late = false;  // puts are complete locally only in read_sources()
  std::vector<completion*> unread;
  int events = 0;  // of each progress()

  outcome of(int pe) const {
    const auto found = towards.find(pe);
    return found == towards.end() ? outcome::done : found->second;
  }
} network;

bool open(const open_params& how, instance** made, attributes* properties, char*, std::size_t) {
  network = {};
  network.how = how;
  properties->message_bytes = min_message_bytes;
  properties->messages_in_order = true;
  *made = reinterpret_cast<instance*>(&network);
  return true;
}
outcome put(stream*, int pe, std::uint64_t to, const void*, std::size_t, completion* local) {
  if (network.of(pe) != outcome::done) return network.of(pe);
  network.puts.push_back(to);
  if (local != nullptr && network.reads_late) network.unread.push_back(local);
  if (local != nullptr && !network.reads_late) local->pending.fetch_sub(1);
  return outcome::done;
}
void read_sources() {
  for (completion* local : network.unread) local->pending.fetch_sub(1);
  network.unread.clear();
}
outcome send(instance*, stream*, int pe, const void* bytes, std::size_t n) {
  const auto* begin = static_cast<const char*>(bytes);
  if (network.of(pe) == outcome::done) network.requests.push_back({pe, {begin, begin + n}});
  return network.of(pe);
}
outcome flush(stream*, stream_point&) { return outcome::done; }
int progress(instance*) { return network.events; }

constexpr transport scripted_transport = oshen::testing::make_transport("scripted", [](transport& t) {
  t.open = open;
  t.put = put;
  t.send = send;
  t.flush = flush;
  t.progress = progress;
});

constexpr int n_pes = 20;
constexpr atomic_op fetch_add{.op = operation::add, .bytes = width::eight, .fetches = true, .value = 1, .compare = 0};

class Deferred : public ::testing::Test {
 protected:
  void SetUp() override {
    char why[64];
    open_params how;
    how.n_pes = n_pes;
    how.slice_bytes = 4096;
    ASSERT_TRUE(e.open(scripted_transport, how, why, sizeof why));
    ASSERT_TRUE(e.open_channel(c, 0));
    ASSERT_TRUE(e.open_channel(other, 0));
  }
  void TearDown() override { e.close(); }

  outcome put_later(int pe, std::uint64_t to, std::size_t bytes = 8) {
    return e.issue_later(c, put_of(pe, to, &value, bytes));
  }
  outcome add_later(int pe) { return e.issue_later(c, atomic_of(pe, 0, fetch_add, &value)); }
  // The targets reply to all requests.
  void reply_to_all() {
    std::vector<message> all;
    all.swap(network.requests);
    for (message& m : all) {
      m.bytes[0] = 1;  // am_kind::reply
      network.how.on_message(network.how.owner, m.pe, m.bytes.data(), m.bytes.size());
    }
  }

  endpoint e;
  channel c, other;
  std::uint64_t value = 0;
};

TEST_F(Deferred, KeepTheirOrderTowardsAPe) {
  network.towards[1] = outcome::would_block;
  for (std::uint64_t to = 0; to < 24; to += 8) EXPECT_EQ(put_later(1, to), outcome::done);
  completion local{1};
  network.towards[1] = outcome::done;
  EXPECT_EQ(e.issue(c, put_of(1, 24, &value, 8, &local)), outcome::done);  // blocking: behind the others
  EXPECT_EQ(put_later(2, 800), outcome::done);                             // another target
  EXPECT_EQ(local.pending.load(), 1u);
  EXPECT_EQ(network.puts, std::vector<std::uint64_t>{800});
  EXPECT_EQ(e.progress(), 4);
  EXPECT_EQ(network.puts, (std::vector<std::uint64_t>{800, 0, 8, 16, 24}));
  EXPECT_EQ(local.pending.load(), 0u);
}

TEST_F(Deferred, AnnounceEachFillOfTheEmptyQueue) {
  network.towards[1] = outcome::would_block;
  const std::uint32_t before = e.wake_requests();
  put_later(2, 0);
  EXPECT_EQ(e.wake_requests(), before) << "the transport took it at once";
  put_later(1, 0);
  put_later(1, 8);
  EXPECT_EQ(e.wake_requests(), before + 1);
  network.towards[1] = outcome::done;
  e.progress();
  network.towards[1] = outcome::would_block;
  put_later(1, 16);  // the queue has been empty meanwhile, so a thread may block
  EXPECT_EQ(e.wake_requests(), before + 2);
}

TEST_F(Deferred, AreBoundedInNumberAndInBytes) {
  network.towards[1] = outcome::would_block;
  std::size_t n = 0;
  while (put_later(1, 0) == outcome::done && n <= max_deferred_bytes) ++n;
  EXPECT_GT(n, 1000u);
  EXPECT_LE(n * sizeof(deferred_op), max_deferred_bytes);
  network.towards[1] = outcome::done;
  e.progress();
  network.towards[1] = outcome::would_block;
  EXPECT_EQ(put_later(1, 0, max_deferred_payload), outcome::done);
  EXPECT_EQ(put_later(1, 0), outcome::would_block);
  completion local{1};
  EXPECT_EQ(e.issue(c, put_of(1, 0, &value, 8, &local)), outcome::done) << "blocking operations have room of their own";
}

TEST_F(Deferred, RequestsLeaveRoomForOthers) {
  for (int i = 0; i < 200; ++i) EXPECT_EQ(add_later(1), outcome::done);
  EXPECT_EQ(network.requests.size(), static_cast<std::size_t>(max_unawaited_requests_to_one));
  for (int pe = 2; pe < n_pes; ++pe)
    for (int i = 0; i < 64; ++i) EXPECT_EQ(add_later(pe), outcome::done);
  EXPECT_LE(network.requests.size(), static_cast<std::size_t>(max_unawaited_requests));
  EXPECT_GE(network.requests.size(), static_cast<std::size_t>(max_unawaited_requests - 2));
  completion local{1000};
  int awaited = 0;
  while (e.ask(c, atomic_of(1, 0, fetch_add, &value, &local)) == outcome::done) ++awaited;
  EXPECT_EQ(awaited, max_requests_to_one - max_unawaited_requests_to_one);
  EXPECT_EQ(e.ask(c, atomic_of(2, 0, fetch_add, &value, &local)), outcome::done) << "another target has room";
}

// Ten targets are stopped and reply to nothing; one more is healthy.
TEST_F(Deferred, RequestsToStoppedTargetsLeaveRoomForAHealthyOne) {
  for (int pe = 1; pe <= 10; ++pe)
    for (int i = 0; i < 200; ++i) EXPECT_EQ(add_later(pe), outcome::done);
  const std::size_t before = network.requests.size();
  EXPECT_EQ(add_later(11), outcome::done);
  EXPECT_EQ(network.requests.size(), before + 1) << "it waits for replies of the stopped ones";
  EXPECT_EQ(network.requests.back().pe, 11);
  // A put to the healthy target would wait behind its atomic.
  EXPECT_EQ(e.issue(c, put_of(11, 0, &value, 8)), outcome::done);
  EXPECT_EQ(network.puts.size(), 1u);
}

TEST_F(Deferred, RequestsStartWhenRepliesArrive) {
  for (int i = 0; i < 200; ++i) EXPECT_EQ(add_later(1), outcome::done);
  std::size_t sent = 0;
  flush_point point;
  for (int i = 0; i < 10 && e.flush(c, point) != outcome::done; ++i) {
    sent += network.requests.size();
    reply_to_all();
    e.progress();
  }
  EXPECT_EQ(e.flush(c, point), outcome::done);
  EXPECT_EQ(sent, 200u);
}

TEST_F(Deferred, FlushWaitsForEarlierOnesOnly) {
  network.towards[1] = network.towards[2] = outcome::would_block;
  put_later(1, 0);
  flush_point point;
  EXPECT_EQ(e.flush(c, point), outcome::would_block);
  put_later(2, 8);
  network.towards[1] = outcome::done;
  e.progress();
  EXPECT_EQ(e.flush(c, point), outcome::done);
  flush_point next;
  EXPECT_EQ(e.flush(c, next), outcome::would_block);
  EXPECT_NE(c.n_complete.load(), c.n_changes.load());
  network.towards[2] = outcome::done;
  e.progress();
  EXPECT_EQ(e.flush(c, next), outcome::done);
  EXPECT_EQ(c.n_complete.load(), c.n_changes.load());
}

TEST_F(Deferred, SourcesOfPutsAreInUseUntilLocalCompletion) {
  network.reads_late = true;
  put_later(1, 0);
  e.issue_later(
      c, put_signal_of(1, {.to = 8, .from = &value, .bytes = 8, .signal = 16, .value = 1, .op = signal_op::set}));
  EXPECT_EQ(network.unread.size(), 2u);
  const std::uint32_t epoch = c.sources.now();
  EXPECT_FALSE(c.sources.have_passed(epoch));
  reply_to_all();
  flush_point point;
  EXPECT_EQ(e.flush(c, point), outcome::would_block) << "the transport still refers to the channel";
  read_sources();
  EXPECT_TRUE(c.sources.have_passed(epoch));
  EXPECT_EQ(e.flush(c, point), outcome::done);
}

TEST_F(Deferred, SourcesOfDeferredPutsAreInUseUntilTheyStart) {
  network.towards[1] = outcome::would_block;
  put_later(1, 0);
  const std::uint32_t epoch = c.sources.now();
  EXPECT_FALSE(c.sources.have_passed(epoch));
  EXPECT_FALSE(c.sources.is_idle());
  EXPECT_TRUE(other.sources.is_idle());
  network.towards[1] = outcome::done;
  e.progress();
  EXPECT_TRUE(c.sources.have_passed(epoch));
}

TEST_F(Deferred, OnlyAcceptedPutsWithBytesHaveSources) {
  network.towards[1] = outcome::would_block;
  EXPECT_EQ(put_later(1, 0, max_deferred_payload), outcome::done);
  const std::uint32_t epoch = c.sources.now();
  EXPECT_EQ(put_later(1, 0), outcome::would_block);
  network.towards[1] = outcome::done;
  e.progress();
  EXPECT_TRUE(c.sources.have_passed(epoch));
  EXPECT_TRUE(c.sources.is_idle()) << "the second put was not accepted";
  network.towards[1] = outcome::would_block;
  add_later(1);
  e.issue_later(c, get_of(1, &value, 0, 8));
  e.issue_later(
      c, put_signal_of(1, {.to = 0, .from = nullptr, .bytes = 0, .signal = 16, .value = 1, .op = signal_op::set}));
  EXPECT_TRUE(c.sources.is_idle());
}

TEST_F(Deferred, FailuresNameTheirTarget) {
  network.towards[3] = outcome::would_block;
  put_later(3, 0);
  network.towards[3] = outcome::lost;
  EXPECT_EQ(e.progress(), 1);
  EXPECT_EQ(e.progress(), -1) << "no call has reported it yet";
  flush_point point, of_other;
  EXPECT_EQ(e.flush(c, point), outcome::lost);
  EXPECT_EQ(c.failed_pe.load(), 3);
  EXPECT_EQ(e.flush(other, of_other), outcome::done);
}

TEST_F(Deferred, DoNotHideAnErrorOfTheTransport) {
  network.towards[1] = outcome::would_block;
  put_later(1, 0);
  put_later(1, 8);
  network.towards[1] = outcome::done;
  network.events = -1;
  EXPECT_EQ(e.progress(), -1) << "two operations have started";
}

}  // namespace
}  // namespace oshen::transport
