// A PE knows when everything that it has sent to other nodes has arrived (wait/delivery.hpp).
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "op/remote.hpp"
#include "support/thread_job.hpp"
#include "wait/delivery.hpp"
#include "wait/progress.hpp"

namespace oshen {
namespace {

using testing::run_job;

constexpr int looks = 200;

// PE 1 makes no progress of its own until it is asked to.
void stop_own_progress(world& w) { end_network_thread(*w.beyond); }

// Looks as a PE in a long wait does.
bool arrives_within(world& w, int most) {
  for (int i = 0; i < most; ++i) {
    advance_network(w);
    if (all_has_arrived(w)) return true;
    std::this_thread::yield();
  }
  return false;
}

// `send` sets `refused_call` of PE 1 to 7; `finish` is called once PE 1 makes progress again.
template <class Send, class Finish>
void send_to_one_that_sleeps(Send send, Finish finish) {
  std::barrier<> both(2);
  std::atomic<bool> over{false};
  run_job(
      2,
      [&](world& w) {
        if (w.pe == 1) stop_own_progress(w);
        both.arrive_and_wait();
        if (w.pe == 0) {
          EXPECT_TRUE(all_has_arrived(w)) << "nothing has been sent";
          send(w, reinterpret_cast<char*>(&w.own_control().refused_call) - w.segment.slice(w.near.mine));
          EXPECT_FALSE(arrives_within(w, looks));
          EXPECT_FALSE(all_arrives_soon(w));
        }
        both.arrive_and_wait();
        if (w.pe == 0) {
          finish(w);
          EXPECT_TRUE(arrives_within(w, 1000000));
          over.store(true);
        }
        while (!over.load()) advance_network(w);
        both.arrive_and_wait();
        if (w.pe == 1) {
          EXPECT_EQ(w.own_control().refused_call.load(), 7u);
          w.own_control().refused_call.store(0);
        }
      },
      std::size_t{1} << 20, 1);
}

transport::put_signal_args set_to_seven(std::ptrdiff_t at) {
  return {.to = 0,
          .from = nullptr,
          .bytes = 0,
          .signal = static_cast<std::uint64_t>(at),
          .value = 7,
          .op = transport::signal_op::set};
}

// No acknowledgement comes for a flag of a collective.
TEST(Delivery, OfAFlagIsAskedFor) {
  send_to_one_that_sleeps(
      [](world& w, std::ptrdiff_t at) {
        context c = w.default_context;
        c.channel = &w.beyond->collective_channel;
        op::remote::put_ordered_signal({&c, "test"}, 1, set_to_seven(at));
      },
      [](world&) {});
}

TEST(Delivery, OfASignalOfTheProgram) {
  send_to_one_that_sleeps(
      [](world& w, std::ptrdiff_t at) { op::remote::put_signal({&w.default_context, "test"}, 1, set_to_seven(at)); },
      [](world&) {});
}

// A channel of one thread is flushed by that thread only, as a quiet of the program does.
TEST(Delivery, OfAContextWithAChannelOfItsOwn) {
  for (const unsigned options : {0u, static_cast<unsigned>(transport::one_thread)}) {
    transport::channel* own = nullptr;
    send_to_one_that_sleeps(
        [&](world& w, std::ptrdiff_t at) {
          context c = w.default_context;
          c.channel = own = make_channel(*w.beyond, options);
          ASSERT_NE(own, nullptr);
          op::remote::put_signal({&c, "test"}, 1, set_to_seven(at));
        },
        [&](world& w) {
          if (options == transport::one_thread) {
            EXPECT_FALSE(arrives_within(w, looks));
          }
          transport::flush_point point;
          while (w.beyond->endpoint.flush(*own, point) != transport::outcome::done) advance_network(w);
          const std::uint64_t before = count_changes(*w.beyond);
          drop_channel(*w.beyond, own);
          EXPECT_EQ(count_changes(*w.beyond), before) << "operations of dropped channels count";
        });
  }
}

// The target makes no progress, so nothing is delivered.
TEST(Delivery, IsNotNeededForAQuietLocal) {
  send_to_one_that_sleeps(
      [](world& w, std::ptrdiff_t at) {
        const op::call_site here{&w.default_context, "test"};
        std::uint32_t seven = 7;
        op::remote::put(here, 1, static_cast<std::uint64_t>(at), &seven, sizeof seven,
                        op::completion_mode::non_blocking);
        op::remote::quiet_local(here);
        seven = 0;
      },
      [](world&) {});
}

}  // namespace
}  // namespace oshen
