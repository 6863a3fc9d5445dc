// A stopped PE delays nothing that goes to another one. PE 2 makes no progress while PE 0 has operations of every kind
// open towards it. Each operation of PE 0 towards PE 1 then becomes complete.
#include "variants.hpp"

namespace oshen::testing {
namespace {

using transport::operation;
using transport::width;

constexpr std::uint64_t data = 64, flag = 1 << 20, counter = flag + 64;
constexpr std::size_t bytes = 20000;
constexpr int many = 40;

// Calls `attempt` until it is refused, at most `many` times.
template <class Attempt>
void issue_while_accepted(Attempt attempt) {
  for (int i = 0; i < many; ++i)
    if (attempt() != outcome::done) return;
}

// One channel of PE 0, and the sources of its operations.
struct sender {
  member& m;
  transport::channel& on;
  std::vector<char> source = std::vector<char>(bytes, 'x');
  std::uint64_t fetched = 0;
  completion to_stopped{0};

  // The forms that defer, and on an ordered stream, which defers nothing, those that may be refused.
  void burden_stopped_pe() {
    const transport::put_signal_args signal{data, source.data(), 1000, flag, 1, transport::signal_op::add};
    const transport::atomic_op add{operation::add, width::eight, true, 1, 0};
    if (on.defers) {
      issue_while_accepted(
          [&] { return m.endpoint.issue_later(on, transport::put_of(2, data, source.data(), bytes)); });
      issue_while_accepted([&] { return m.endpoint.issue_later(on, transport::put_signal_of(2, signal)); });
      issue_while_accepted([&] { return m.endpoint.issue_later(on, transport::atomic_of(2, counter, add, &fetched)); });
      return;
    }
    const auto counted = [&](auto attempt) {
      to_stopped.pending.fetch_add(1);
      const outcome o = attempt();
      if (o != outcome::done) to_stopped.pending.fetch_sub(1);
      return o;
    };
    issue_while_accepted([&] {
      return counted(
          [&] { return m.endpoint.issue(on, transport::put_of(2, data, source.data(), bytes, &to_stopped)); });
    });
    if (!m.endpoint.has_put_signal()) return;
    issue_while_accepted([&] {
      return counted([&] { return m.endpoint.issue(on, transport::put_signal_of(2, signal, &to_stopped)); });
    });
  }
  template <class Attempt>
  void complete(Attempt attempt) {
    completion c{1};
    m.persist([&] { return attempt(&c); });
    m.wait([&] { return c.pending.load(std::memory_order_acquire) == 0; });
  }
  // Each operation ends before the next one begins; the target sees the last value of `flag` and the sum.
  void reach_running_pe(std::uint64_t round) {
    complete([&](completion* c) { return m.endpoint.issue(on, transport::put_of(1, data, source.data(), bytes, c)); });
    if (m.endpoint.has_put_signal()) {
      const transport::put_signal_args signal{data, source.data(), 1000, flag, round, transport::signal_op::set};
      complete([&](completion* c) { return m.endpoint.issue(on, transport::put_signal_of(1, signal, c)); });
    } else if (on.defers) {
      complete(
          [&](completion* c) { return m.endpoint.issue(on, transport::put_of(1, flag, &round, sizeof round, c)); });
    }
    if (!on.defers) return;  // collectives use no others on an ordered stream
    std::uint64_t before = 0;
    const transport::atomic_op add{operation::add, width::eight, true, 1, 0};
    complete([&](completion* c) { return m.endpoint.issue(on, transport::atomic_of(1, counter, add, &before, c)); });
    EXPECT_EQ(before, round - 1);
    std::vector<char> back(bytes);
    complete([&](completion* c) { return m.endpoint.issue(on, transport::get_of(1, back.data(), data, bytes, c)); });
    EXPECT_EQ(back, source);
  }
};

void run_beside_stopped_pe(const variant& with, bool is_ordered) {
  std::atomic<bool> is_stopped{false}, may_continue{false};
  run_fleet(with, 3, [&](member& m, meeting_point& place) {
    transport::channel own;
    ASSERT_TRUE(m.endpoint.open_channel(own, is_ordered ? transport::ordered : 0u));
    std::fill_n(m.slice() + data, bytes, 'x');
    place.meet(m);
    if (m.pe == 0) {  // the connections are complete, and the keys known
      for (const int to : {1, 2}) {
        const std::uint64_t value = 0;
        completion c{1};
        m.persist([&] { return m.endpoint.issue(own, transport::put_of(to, flag, &value, sizeof value, &c)); });
        m.wait([&] { return c.pending.load(std::memory_order_acquire) == 0; });
      }
      transport::flush_point point;
      m.persist([&] { return m.endpoint.flush(own, point); });
    }
    place.meet(m);
    if (m.pe == 2) {
      is_stopped.store(true);
      while (!may_continue.load()) std::this_thread::yield();
    }
    if (m.pe == 0) {
      m.wait([&] { return is_stopped.load(); });
      sender s{m, own};
      for (std::uint64_t round = 1; round <= 3; ++round) {
        s.burden_stopped_pe();
        s.reach_running_pe(round);
        m.wait([&] { return m.load(flag) == round || (is_ordered && !m.endpoint.has_put_signal()); });
      }
      may_continue.store(true);
      m.wait([&] { return s.to_stopped.pending.load(std::memory_order_acquire) == 0; });
      transport::flush_point point;
      m.persist([&] { return m.endpoint.flush(own, point); });
    }
    for (std::uint64_t round = 1; m.pe == 1 && round <= 3; ++round) {
      if (is_ordered && !m.endpoint.has_put_signal()) break;
      m.wait([&] { return m.load(flag) == round; });
      m.put(0, flag, &round, sizeof round);
    }
    place.meet(m);
    m.endpoint.close_channel(own);
  });
}

class beside_stopped_peer : public ::testing::TestWithParam<variant> {};

TEST_P(beside_stopped_peer, operations_to_another_pe_complete) { run_beside_stopped_pe(GetParam(), false); }

TEST_P(beside_stopped_peer, an_ordered_stream_reaches_another_pe) { run_beside_stopped_pe(GetParam(), true); }

INSTANTIATE_TEST_SUITE_P(all, beside_stopped_peer, ::testing::ValuesIn(variants()), name_of_variant);

}  // namespace
}  // namespace oshen::testing
