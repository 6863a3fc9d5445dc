// The acknowledgements that the target of signals sends (transport/due_acks.hpp), as exact numbers of messages. The
// test takes the place of the fabric: it delivers signals and AM requests, and records every message that the target
// sends.
#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <cstring>
#include <deque>
#include <ostream>
#include <vector>

#include "transport/due_acks.hpp"
#ifdef OSHEN_HAVE_OFI
#include "transport/ofi/ofi.hpp"
#endif
#ifdef OSHEN_HAVE_UCX
#include "transport/ucx/ucx.hpp"
#endif

namespace oshen::transport {

extern const transport ofi_transport, ucx_transport;

namespace {

constexpr int n_pes = 70;
constexpr std::uint64_t streams = 0x1000;  // an even number, as addresses are

// A message of the target.
struct reply {
  int to_pe;
  bool has_own_content;  // it is more than an acknowledgement
  std::uint64_t stream;
  std::uint32_t n_acknowledged;
  auto operator<=>(const reply&) const = default;
};
std::ostream& operator<<(std::ostream& out, const reply& r) {
  return out << "to PE " << r.to_pe << ", stream " << r.stream << ", " << r.n_acknowledged << " messages"
             << (r.has_own_content ? ", with a reply" : "");
}
using replies = std::vector<reply>;
replies sorted(replies all) {
  std::sort(all.begin(), all.end());
  return all;
}

replies sent;  // by the target of the present test

// The handler of AM requests, which replies to each.
template <const transport* table>
void answer(void* target, int from_pe, const void*, std::size_t) {
  EXPECT_EQ(table->send(static_cast<instance*>(target), nullptr, from_pe, "r", 1), outcome::done);
}

// A transport that acknowledges nothing to `stopped_pe`.
struct fake_sender {
  due_acks<int>& due;
  std::vector<turns>& of_pes;
  int stopped_pe = -1;

  turns& turns_of(int pe) const { return of_pes[static_cast<std::size_t>(pe)]; }
  bool acknowledge(int pe) const {
    if (pe == stopped_pe) return false;
    const auto e = due.take(pe);
    EXPECT_EQ(e.pe, pe);
    EXPECT_EQ(e.stream, streams + static_cast<std::uint64_t>(e.back));
    sent.push_back({e.pe, false, e.stream, e.n});
    return true;
  }
};

TEST(DueAcks, CountMessagesOfEachStream) {
  due_acks<int> due;
  std::vector<turns> of_pes(n_pes);
  const fake_sender sender{due, of_pes};
  sent.clear();
  EXPECT_TRUE(due.is_empty());
  EXPECT_EQ(due.take(0).n, 0u);
  due.note(sender, 3, 0, 0);  // expects none
  EXPECT_TRUE(due.is_empty());
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < max_due_acks; ++i) due.note(sender, i / 2, streams + static_cast<std::uint64_t>(i), i);
  EXPECT_TRUE(sent.empty());
  due.note(sender, n_pes - 1, streams + max_due_acks, max_due_acks);  // there is no room
  ASSERT_EQ(sent.size(), static_cast<std::size_t>(max_due_acks));
  sent = sorted(sent);
  for (int i = 0; i < max_due_acks; ++i)
    EXPECT_EQ(sent[static_cast<std::size_t>(i)], (reply{i / 2, false, streams + static_cast<std::uint64_t>(i), 3}));
  EXPECT_EQ(due.take(n_pes - 1).n, 1u);
  EXPECT_TRUE(due.is_empty());
}

TEST(DueAcks, StayIfTheyCannotBeSent) {
  due_acks<int> due;
  std::vector<turns> of_pes(n_pes);
  sent.clear();
  for (const int pe : {2, 4, 6}) due.note(fake_sender{due, of_pes}, pe, streams, 0);
  due.send_at_end(fake_sender{due, of_pes, 4}, false);
  EXPECT_EQ(sent, (replies{{2, false, streams, 1}, {6, false, streams, 1}}));
  EXPECT_TRUE(due.has_left());
  due.send_at_end(fake_sender{due, of_pes}, false);
  EXPECT_EQ(sent.back(), (reply{4, false, streams, 1}));
  EXPECT_FALSE(due.has_left());
}

TEST(Turns, BeginAfterSomeInARow) {
  turns t;
  const auto take = [&t](int n) {
    for (int i = 0; i < n; ++i) t.sent(), t.received();
  };
  t.received();
  take(turns::enough - 1);
  EXPECT_FALSE(t.are_taken());
  take(1);
  EXPECT_TRUE(t.are_taken());
  take(300);
  EXPECT_TRUE(t.are_taken());
  t.received();  // the peer has signalled twice
  EXPECT_FALSE(t.are_taken());
  take(turns::enough);
  EXPECT_TRUE(t.are_taken());
  t.end();
  EXPECT_FALSE(t.are_taken());
}

// The common part of both targets. `Target` delivers a packet of a kind.
template <class Target, const transport* table, class Instance, class Peer, class Kind>
struct target_base {
  target_base() {
    sent.clear();
    me.how.n_pes = n_pes;
    me.how.on_message = answer<table>;
    me.how.owner = &me;
    me.memory.base = reinterpret_cast<char*>(&value);
    me.memory.bytes = sizeof value;
    me.token = 77;
    me.peers = peers.data();
  }
  void signal(int pe, std::uint64_t stream) { static_cast<Target*>(this)->deliver(pe, Kind::signal, stream); }
  void request(int pe) { static_cast<Target*>(this)->deliver(pe, Kind::message, 0); }
  int progress() { return table->progress(reinterpret_cast<instance*>(&me)); }
  blocking may_block() { return table->may_block(reinterpret_cast<instance*>(&me)); }
  outcome answer_by_signal(int pe) {
    const put_signal_args args{.to = 0, .from = nullptr, .bytes = 0, .signal = 0, .value = 1, .op = signal_op::add};
    return table->put_signal(static_cast<Target*>(this)->of_program(), pe, args, nullptr);
  }
  // Both PEs signal each other in turn until an acknowledgement would wait.
  void take_turns(int pe) {
    for (int i = 0; i <= turns::enough; ++i) {
      if (i != 0) {
        EXPECT_EQ(answer_by_signal(pe), outcome::done);
      }
      sent.clear();
      signal(pe, streams);
      EXPECT_NE(progress(), 0);
      EXPECT_EQ(sent.empty(), i == turns::enough) << i;
    }
  }

  std::uint64_t value = 0;
  std::vector<Peer> peers{n_pes};
  Instance me;
};

#ifdef OSHEN_HAVE_OFI

// ---- libfabric -------------------------------------------------------------------------------------------------

struct ofi_target : target_base<ofi_target, &ofi_transport, ofi_instance, ofi::peer, ofi::packet_kind> {
  static constexpr int at_once = max_due_acks;  // messages that one call of progress handles
  static inline std::deque<fi_cq_data_entry> arrived;
  static inline bool is_full = false;

  ofi_target() {
    arrived.clear();
    is_full = false;
    queue_calls.read = [](fid_cq*, void* to, std::size_t room) -> ssize_t {
      std::size_t n = 0;
      for (; n < room && !arrived.empty(); ++n) {
        static_cast<fi_cq_data_entry*>(to)[n] = arrived.front();
        arrived.pop_front();
      }
      return n != 0 ? static_cast<ssize_t>(n) : -FI_EAGAIN;
    };
    message_calls.recv = [](fid_ep*, void*, std::size_t, void*, fi_addr_t, void*) -> ssize_t { return 0; };
    message_calls.sendmsg = [](fid_ep*, const fi_msg* m, std::uint64_t) -> ssize_t {
      const void* const message = m->msg_iov[0].iov_base;
      const fi_addr_t to = m->addr;
      ofi::packet head;
      ofi::receipts r{};
      memcpy(&head, message, sizeof head);
      if ((head.marks & ofi::has_receipts) != 0) memcpy(&r, static_cast<const char*>(message) + sizeof head, sizeof r);
      if (is_full) return -FI_EAGAIN;
      sent.push_back(
          {static_cast<int>(to), head.kind != ofi::packet_kind::acknowledgement, r.acknowledged, r.n_acknowledged});
      return 0;
    };
    queue.ops = &queue_calls;
    endpoint.msg = &message_calls;
    for (std::size_t pe = 0; pe < n_pes; ++pe) peers[pe].address = pe;
    me.shared.home = &me;
    me.shared.ops = ops.data();
    me.shared.n_ops = static_cast<int>(ops.size());
    me.shared.completions = &queue;
    me.shared.endpoint = &endpoint;
  }

  void deliver(int pe, ofi::packet_kind kind, std::uint64_t stream) {
    ofi::pending_op* op = ofi::take_op(me.shared);
    ASSERT_NE(op, nullptr);
    op->kind = ofi::op_kind::receive;
    ofi::packet head{};
    head.token = me.token;
    head.from_pe = pe;
    head.kind = kind;
    head.bytes = sizeof(ofi::signal_packet);
    head.marks = ofi::adds | ofi::has_receipts;
    const ofi::receipts r{stream, 0, 0, 0};
    const ofi::signal_packet s{.signal = 0, .value = 1, .data_offset = 0};
    memcpy(op->buffer, &head, sizeof head);
    memcpy(op->buffer + sizeof head, &r, sizeof r);
    memcpy(op->buffer + sizeof head + sizeof r, &s, sizeof s);
    arrived.push_back({op, FI_RECV | FI_MSG, sizeof head + sizeof r + sizeof s, nullptr, 0});
  }

  stream* of_program() { return reinterpret_cast<stream*>(&own_stream); }

  ofi_stream own_stream{.home = &me, .tx = &me.shared, .is_ordered = false};
  std::vector<ofi::pending_op> ops{ofi::max_pending_ops + ofi::receive_buffers};
  fi_ops_cq queue_calls{};
  fi_ops_msg message_calls{};
  fid_cq queue{};
  fid_ep endpoint{};
};

#endif
#ifdef OSHEN_HAVE_UCX

// ---- UCX -------------------------------------------------------------------------------------------------------

struct ucx_target : target_base<ucx_target, &ucx_transport, ucx::ucx_instance, ucx::peer, ucx::packet_kind> {
  static constexpr int at_once = 1000000;  // UCX has stored all messages before they are handled

  ucx_target() {
    lib.progress = [](ucp_worker_h) -> unsigned { return 0; };
    lib.am_send = [](ucp_ep_h to, unsigned, const void* header, std::size_t, const void*, std::size_t,
                     const ucp_request_param_t*) -> ucs_status_ptr_t {
      ucx::packet head;
      memcpy(&head, header, sizeof head);
      sent.push_back({static_cast<int>(reinterpret_cast<std::uintptr_t>(to)),
                      head.kind != ucx::packet_kind::acknowledgement, head.acknowledged, head.n_acknowledged});
      return nullptr;  // it is complete
    };
    for (std::size_t pe = 0; pe < n_pes; ++pe) {
      connections[pe].endpoint = reinterpret_cast<ucp_ep_h>(pe);
      peers[pe].token = 1;
    }
    me.lib = &lib;
    me.shared.home = &me;
    me.shared.connections = connections.data();
    me.shared.ops = ops.data();
    me.shared.n_ops = ucx::max_pending_ops;
  }

  void deliver(int pe, ucx::packet_kind kind, std::uint64_t stream) {
    ucx::packet head{};
    head.token = me.token;
    head.from_token = 1;
    head.from_pe = pe;
    head.kind = kind;
    head.from_stream = stream;
    head.op = signal_op::add;
    head.value = 1;
    ucp_am_recv_param_t how{};
    how.recv_attr = UCP_AM_RECV_ATTR_FIELD_REPLY_EP;
    how.reply_ep = connections[static_cast<std::size_t>(pe)].endpoint;
    EXPECT_EQ(ucx::receive(&me, &head, sizeof head, nullptr, 0, &how), UCS_OK);
  }

  stream* of_program() { return reinterpret_cast<stream*>(&own_stream); }

  std::vector<ucx::pending_op> ops{ucx::max_pending_ops};
  ucx::ucx_stream own_stream{.home = &me, .rma = &me.shared, .is_ordered = false, .targets = {}};
  ucx::library lib{};
  std::vector<ucx::connection> connections{n_pes};
};

#endif

// ---- both ------------------------------------------------------------------------------------------------------

template <class Target>
class Acks : public ::testing::Test {};

#if defined OSHEN_HAVE_OFI && defined OSHEN_HAVE_UCX
using targets = ::testing::Types<ofi_target, ucx_target>;
#elif defined OSHEN_HAVE_OFI
using targets = ::testing::Types<ofi_target>;
#elif defined OSHEN_HAVE_UCX
using targets = ::testing::Types<ucx_target>;
#endif
#if defined OSHEN_HAVE_OFI || defined OSHEN_HAVE_UCX
TYPED_TEST_SUITE(Acks, targets);

TYPED_TEST(Acks, AreOneMessageForSignalsThatHaveArrived) {
  for (const int n : {1, 2, 15, 16, 17, 63, 64}) {
    TypeParam target;
    for (int i = 0; i < n; ++i) target.signal(3, streams);
    EXPECT_EQ(target.progress(), n);
    EXPECT_EQ(sent, (replies{{3, false, streams, static_cast<std::uint32_t>(n)}})) << n << " signals";
    EXPECT_EQ(target.value, static_cast<std::uint64_t>(n));
    sent.clear();
    EXPECT_EQ(target.progress(), 0);
    EXPECT_TRUE(sent.empty());
  }
}

// A flood does not delay acknowledgements for ever.
TYPED_TEST(Acks, LeaveAtTheEndOfEachCall) {
  constexpr int n = 200;
  TypeParam target;
  for (int i = 0; i < n; ++i) target.signal(3, streams);
  replies expected;
  for (int left = n; left > 0; left -= TypeParam::at_once) {
    target.progress();
    expected.push_back({3, false, streams, static_cast<std::uint32_t>(std::min(left, TypeParam::at_once))});
    EXPECT_EQ(sent, expected);
  }
}

TYPED_TEST(Acks, AreOneMessageForEachStreamThatSignals) {
  TypeParam target;
  replies expected;
  for (int round = 0; round < 5; ++round)
    for (int pe = 0; pe < 5; ++pe)
      for (const std::uint64_t s : {streams, streams + 1}) {
        target.signal(pe, s);
        if (round == 0) expected.push_back({pe, false, s, 5});
      }
  target.progress();
  EXPECT_EQ(sorted(sent), sorted(expected));
}

TYPED_TEST(Acks, TravelOnAReply) {
  TypeParam target;
  for (int i = 0; i < 3; ++i) target.signal(1, streams);
  target.signal(2, streams);
  target.request(1);
  target.signal(1, streams);
  target.progress();
  EXPECT_EQ(sorted(sent), sorted({{1, true, streams, 3}, {1, false, streams, 1}, {2, false, streams, 1}}));
}

// More streams than the table has entries: each signal is acknowledged once.
TYPED_TEST(Acks, CoverMoreStreamsThanTheTable) {
  TypeParam target;
  replies expected;
  for (int pe = 0; pe < n_pes; ++pe) {
    target.signal(pe, streams);
    expected.push_back({pe, false, streams, 1});
  }
  target.progress();
  target.progress();
  EXPECT_EQ(sorted(sent), sorted(expected));
}

// A message each way, not two.
TYPED_TEST(Acks, TravelOnTheSignalOfAPeThatTakesTurns) {
  TypeParam target;
  target.take_turns(3);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(target.answer_by_signal(3), outcome::done);
    EXPECT_EQ(sent, (replies{{3, true, streams, 1}}));
    sent.clear();
    target.signal(3, streams);
    target.progress();
    EXPECT_TRUE(sent.empty());
  }
}

TYPED_TEST(Acks, LeaveIfNoAnswerFollows) {
  TypeParam target;
  target.take_turns(3);
  EXPECT_EQ(target.may_block(), blocking::not_now);
  target.progress();
  EXPECT_EQ(sent, (replies{{3, false, streams, 1}}));
  sent.clear();
  target.progress();
  EXPECT_TRUE(sent.empty());
  EXPECT_EQ(target.answer_by_signal(3), outcome::done);
  EXPECT_EQ(sent, (replies{{3, true, 0, 0}}));
  sent.clear();
  target.signal(3, streams);  // turns count from 0 again
  target.progress();
  EXPECT_EQ(sent, (replies{{3, false, streams, 1}}));
}

TYPED_TEST(Acks, WaitOnlyForPesThatTakeTurns) {
  TypeParam target;
  target.take_turns(3);
  EXPECT_EQ(target.answer_by_signal(3), outcome::done);
  EXPECT_EQ(target.answer_by_signal(4), outcome::done);
  sent.clear();
  target.signal(3, streams);
  target.signal(4, streams);
  target.progress();
  EXPECT_EQ(sent, (replies{{4, false, streams, 1}}));
}

// Something arrives in every call, and the program does not answer.
TYPED_TEST(Acks, DoNotWaitForEver) {
  TypeParam target;
  target.take_turns(3);
  int calls = 0;
  while (sent.empty() && calls < 1000) {
    target.signal(4, 0);
    target.progress();
    ++calls;
  }
  EXPECT_EQ(sent, (replies{{3, false, streams, 1}}));
  EXPECT_EQ(calls, most_calls_before_ack);
}
#endif
#ifdef OSHEN_HAVE_OFI

TEST(AcksOverOfi, KeepThePeAwakeWhileTheyWait) {
  ofi_target target;
  ofi::tx_endpoint& tx = target.me.shared;
  target.take_turns(3);
  tx.n_free = tx.n_taken.load();  // all operations are complete
  EXPECT_EQ(target.may_block(), blocking::not_now);
  target.progress();
  tx.n_free = tx.n_taken.load();
  EXPECT_EQ(target.may_block(), blocking::until_readable);
}

TEST(AcksOverOfi, AreNotLostWithASignalThatTheProviderRefuses) {
  ofi_target target;
  target.take_turns(3);
  ofi_target::is_full = true;
  EXPECT_EQ(target.answer_by_signal(3), outcome::done);  // queued
  EXPECT_EQ(target.progress(), 0);
  EXPECT_TRUE(sent.empty());
  ofi_target::is_full = false;
  target.progress();
  EXPECT_EQ(sent, (replies{{3, true, streams, 1}}));
}
#endif

}  // namespace
}  // namespace oshen::transport
