// The messages of the hub (bootstrap/hub.hpp) to PEs that do not read. The test plays all PEs of a job.
#include "bootstrap/hub.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bootstrap/outbox.hpp"
#include "played_pe.hpp"

namespace oshen::bootstrap {
namespace {

// ---- the outbox ------------------------------------------------------------------------------------------------

TEST(Outbox, SendsWholeMessagesInTheOrderOfSigning) {
  const sip_key secret{{3, 5}};
  for (const std::size_t piece : {1u, 7u, 55u, 56u, 57u, 4096u}) {
    int ends[2];
    ASSERT_TRUE(os::stream_pair(ends));
    const int small = 1;  // the kernel takes its least value
    ASSERT_EQ(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    outbox box{};
    box.begin(secret, {});
    const std::vector<char> first(20000, 'a'), second(64, 'b'), third(5000, 'c');
    EXPECT_TRUE(box.add(head_of(secret, wire::message_kind::gather, 1, first), first.data()));
    EXPECT_TRUE(box.send(ends[0]));
    EXPECT_FALSE(box.is_empty());  // it is partly sent
    EXPECT_TRUE(box.add(head_of(secret, wire::message_kind::lost, 2, second), second.data()));
    EXPECT_FALSE(box.add(head_of(secret, wire::message_kind::gather, 9, third), third.data())) << "memory is bounded";
    bool has_third = false;
    std::vector<char> stream, part(piece);
    const std::size_t all = 3 * sizeof(wire::header) + first.size() + second.size() + third.size();
    while (stream.size() < all) {
      const std::ptrdiff_t got = os::receive_some(ends[1], part.data(), piece);
      ASSERT_GE(got, 0);
      stream.insert(stream.end(), part.begin(), part.begin() + got);
      ASSERT_TRUE(box.send(ends[0]));
      if (!has_third) has_third = box.add(head_of(secret, wire::message_kind::gather, 3, third), third.data());
    }
    EXPECT_TRUE(box.is_empty());
    wire::signer check;
    check.begin(secret, {}, wire::stream_direction::to_pe);
    const char* at = stream.data();
    for (const auto* body : {&first, &second, &third}) {
      wire::header head;
      memcpy(&head, at, sizeof head);
      EXPECT_TRUE(check.check(head));
      EXPECT_EQ(head.bytes, body->size());
      EXPECT_EQ(memcmp(at + sizeof head, body->data(), body->size()), 0);
      at += sizeof head + body->size();
    }
    close(ends[0]), close(ends[1]);
  }
}

TEST(Outbox, ReportsABrokenStream) {
  int ends[2];
  ASSERT_TRUE(os::stream_pair(ends));
  outbox box{};
  box.begin({}, {});
  close(ends[1]);
  ASSERT_TRUE(box.add({wire::message_kind::gather, 0, 0, 0, 0}, nullptr));
  EXPECT_FALSE(box.send(ends[0]));
  box.clear();
  EXPECT_TRUE(box.is_empty());
  EXPECT_TRUE(box.send(ends[0]));
  close(ends[0]);
}

// ---- the hub ---------------------------------------------------------------------------------------------------

constexpr std::size_t notice_bytes = 64;  // the name of a host

class played_job {
 public:
  explicit played_job(int n_pes, void (*prepare)(hub&) = nullptr) : hub_(make_hub()) {
    hub_.read_end_milliseconds = patience_milliseconds;
    if (prepare != nullptr) prepare(hub_);
    hub_address at{};
    int own_end = -1;
    EXPECT_TRUE(os::random_bytes(&at.secret, sizeof at.secret) && os::random_bytes(&at.local, sizeof at.local));
    EXPECT_FALSE(failed(hub_.open(at, n_pes, own_end)));
    pes_.push_back(std::make_unique<player>(own_end, 0, at.secret, wire::handshake{}));
    for (int pe = 1; pe < n_pes; ++pe) {
      wire::hello me{};
      memcpy(me.protocol_name, wire::protocol_name, sizeof me.protocol_name);
      me.pe = pe;
      me.n_pes = n_pes;
      memcpy(me.listens_at.host, "here", sizeof "here");
      wire::handshake h;
      const int fd = os::connect_local(at.local);
      EXPECT_TRUE(wire::authenticate(fd, at.secret, me, h, patience_milliseconds));
      pes_.push_back(std::make_unique<player>(fd, pe, at.secret, h));
    }
    for (const auto& pe : pes_) pe->send(wire::message_kind::gather);
    for (const auto& pe : pes_) pe->expect(wire::message_kind::gather, sizeof(wire::referral));
  }

  player& pe(int i) { return *pes_[static_cast<std::size_t>(i)]; }
  hub& its_hub() { return hub_; }

  // A round without data, whose result only PE 0 reads. The hub sends to PE 0 last.
  void play_round(bool has_parent = false) {
    for (const auto& pe : pes_) pe->send(wire::message_kind::gather, 0, pe != pes_[0] && has_parent);
    pe(0).expect(wire::message_kind::gather, 0);
  }

 private:
  // The thread of a hub never ends, so hubs stay until the process ends.
  static hub& make_hub() {
    static auto& all = *new std::deque<hub>;
    return all.emplace_back();
  }

  hub& hub_;
  std::vector<std::unique_ptr<player>> pes_;
};

// Plays rounds until PE 1's stream takes no further result. Returns the number of results that it has taken.
int fill(played_job& job) {
  int n = 0;
  for (int before = -1; job.pe(1).unread_bytes() != before; ++n) {
    before = job.pe(1).unread_bytes();
    job.play_round();
  }
  return n - 1;
}

int results_that_fit() {
  played_job job(2);
  return fill(job);
}

// The stream of PE 1 has room for a part of the notice, or for nothing of it. Then its parent leaves, so that the hub
// would have to send it a result, too.
TEST(Hub, NeverSendsAMessageInsideAnother) {
  const int fitting = results_that_fit();
  ASSERT_GT(fitting, 10);
  for (const int free : {0, 1, 2, 3}) {
    SCOPED_TRACE(std::to_string(free) + " small messages fit");
    played_job job(2);
    for (int i = 0; i < fitting - free; ++i) job.play_round();
    job.play_round(true);
    job.pe(0).send(wire::message_kind::end, 7);
    job.pe(0).expect(wire::message_kind::end, notice_bytes);
    job.pe(1).send(wire::message_kind::orphan);
    job.pe(1).await_hub();
    for (int i = 0; i < fitting - free; ++i) job.pe(1).expect(wire::message_kind::gather, 0);
    job.pe(1).expect(wire::message_kind::end, notice_bytes);
  }
}

TEST(Hub, SendsALongResultBeforeTheNotice) {
  constexpr std::size_t block = 500000;
  constexpr int n_pes = 3;
  played_job job(n_pes);
  for (int pe = n_pes - 1; pe >= 0; --pe)
    job.pe(pe).send(wire::message_kind::gather, 0, false, std::vector<char>(block, static_cast<char>('a' + pe)));
  job.pe(0).expect(wire::message_kind::gather, n_pes * block);
  job.pe(0).send(wire::message_kind::end, 7);
  job.pe(0).expect(wire::message_kind::end, notice_bytes);
  for (const int pe : {2, 1}) {
    received m;
    ASSERT_TRUE(job.pe(pe).read(m));
    ASSERT_EQ(m.body.size(), n_pes * block);
    for (std::size_t from = 0; from < n_pes; ++from) EXPECT_EQ(m.body[from * block], static_cast<char>('a' + from));
    job.pe(pe).expect(wire::message_kind::end, notice_bytes);
  }
}

TEST(Hub, EndsWithoutAPeThatDoesNotReadTheEnd) {
  played_job job(3, [](hub& h) { h.read_end_milliseconds = 50; });
  const int taken = fill(job);
  ::testing::internal::CaptureStderr();
  job.pe(0).send(wire::message_kind::end, 7);
  job.pe(0).expect(wire::message_kind::end, notice_bytes);
  job.its_hub().drain(patience_milliseconds);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("the notice that the job ends is unread after 50 ms by PEs 1 to 2; closing the streams to them"),
            std::string::npos)
      << said;
  for (int i = 0; i < taken; ++i) job.pe(1).expect(wire::message_kind::gather, 0);
  received none;
  EXPECT_FALSE(job.pe(1).read(none));  // the stream has ended
  EXPECT_TRUE(job.pe(1).is_authentic());
}

TEST(Hub, EndsTheJobIfAResultIsNotRead) {
  played_job job(2, [](hub& h) { h.abort_seconds = 3; });
  ::testing::internal::CaptureStderr();
  fill(job);
  job.pe(0).expect(wire::message_kind::lost, notice_bytes);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("waiting for PE 1 on here, for "), std::string::npos) << said;
  EXPECT_NE(said.find(" s now (OSHEN_WAIT_ABORT); ending the job"), std::string::npos) << said;
}

// The hub would otherwise free the result that it is still sending.
TEST(Hub, RefusesABlockBeforeTheLastResultIsRead) {
  played_job job(2);
  fill(job);
  ::testing::internal::CaptureStderr();
  job.pe(1).send(wire::message_kind::gather);
  job.pe(0).expect(wire::message_kind::lost, notice_bytes);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("PE 1 on here gathers before it has read its last result"), std::string::npos) << said;
}

}  // namespace
}  // namespace oshen::bootstrap
