// A thread of the program that polls in a wait, and the threads that block in the transport's descriptor meanwhile
// (hide_arrivals() of src/wait/progress.hpp). tests/model/turns_test.cpp has the order of the accesses.
#include <gtest/gtest.h>

#include "support/make_transport.hpp"
#include "support/thread_job.hpp"
#include "wait/backoff.hpp"
#include "wait/progress.hpp"
#include "world/network.hpp"

namespace oshen {
namespace {

using mode = progress_state;

// A transport that can leave out something. It delivers nothing, or something in each call.
struct counted {
  int asked = 0, asked_at_once = 0, restored = 0;
  bool delivers = false;
};
counted the_calls;

constexpr transport::transport counting_transport = testing::make_transport("counting", [](transport::transport& t) {
  t.open = [](const transport::open_params&, transport::instance** made, transport::attributes*, char*, std::size_t) {
    *made = reinterpret_cast<transport::instance*>(&the_calls);
    return true;
  };
  t.progress = [](transport::instance*) { return the_calls.delivers ? 1 : 0; };
  t.wait_fd = [](transport::instance*) { return -1; };
  t.leave_out = [](transport::instance*, bool at_once) {
    ++(at_once ? the_calls.asked_at_once : the_calls.asked);
    return true;
  };
  t.watch_all = [](transport::instance*) { ++the_calls.restored; };
});

template <class Body>
void with_counting_transport(Body body) {
  testing::run_job(1, [&](world& w) {
    network n;
    n.home = &w;
    char why[64] = "";
    transport::open_params how;
    how.n_pes = 1;
    ASSERT_TRUE(n.endpoint.open(counting_transport, how, why, sizeof why)) << why;
    the_calls = {};
    w.beyond = &n;
    body(w, n);
    w.beyond = nullptr;
    n.endpoint.close();
  });
}

TEST(Polling, HidesItsArrivalsFromAThreadThatBlocks) {
  with_counting_transport([](world&, network& n) {
    n.progress.thread_mode = mode::blocked;
    EXPECT_TRUE(hide_arrivals(n));
    show_arrivals(n);
    n.progress.thread_mode = mode::deep_standby;
    n.progress.has_poller = true;
    EXPECT_TRUE(hide_arrivals(n));
    show_arrivals(n);
    EXPECT_EQ(the_calls.asked_at_once, 2);
    EXPECT_EQ(the_calls.restored, 2);
    EXPECT_EQ(the_calls.asked, 0);
  });
}

// A thread that never wakes would never stand by, and each wait would hide its arrivals anew.
TEST(Polling, LetsTheThreadWakeAfterAFewWaits) {
  with_counting_transport([](world&, network& n) {
    n.progress.thread_mode = mode::blocked;
    int unseen = 0;
    while (unseen < 100 && hide_arrivals(n)) ++unseen;
    EXPECT_GT(unseen, 1);
    EXPECT_LT(unseen, 100);
    EXPECT_EQ(the_calls.asked_at_once, unseen);
  });
}

// While no thread blocks, one hint serves many waits, and nothing has to be restored.
TEST(Polling, AsksSeldomWhileNoThreadBlocks) {
  with_counting_transport([](world& w, network& n) {
    n.progress.thread_mode = mode::standby;
    constexpr int waits = 320;
    for (int i = 0; i < waits; ++i) {
      EXPECT_FALSE(hide_arrivals(n));
      advance_network(w);
    }
    EXPECT_GT(the_calls.asked, 0);
    EXPECT_LE(the_calls.asked, waits / 10);
    EXPECT_EQ(the_calls.asked_at_once + the_calls.restored, 0);
  });
}

// Also a wait that becomes long, before it sleeps.
TEST(Polling, EndsWithTheWaitOrBeforeItSleeps) {
  for (const bool sleeps : {false, true})
    with_counting_transport([sleeps](world& w, network& n) {
      w.waiting.yield_ns = 3600000000000;
      w.waiting.hides_arrivals = true;
      n.progress.thread_mode = mode::blocked;
      {
        const wait_info info{.routine = "a wait"};
        backoff wait(w, info);
        EXPECT_TRUE(wait.spin() && wait.spin());
        EXPECT_EQ(the_calls.asked_at_once, 1);
        EXPECT_EQ(the_calls.restored, 0);
        if (sleeps) wait.announce();
        EXPECT_EQ(the_calls.restored, sleeps);
      }
      EXPECT_EQ(the_calls.restored, 1);
    });
}

// A PE that serves others in one long wait, such as a barrier, asks as often as one with many waits.
TEST(Polling, AsksAtTheArrivalsOfALongWait) {
  with_counting_transport([](world& w, network& n) {
    w.waiting.hides_arrivals = true;
    n.progress.thread_mode = mode::standby;
    the_calls.delivers = true;
    const wait_info info{.routine = "a wait"};
    backoff wait(w, info);
    constexpr int arrivals = 320;
    for (int i = 0; i < arrivals; ++i) EXPECT_TRUE(wait.spin());
    EXPECT_GT(the_calls.asked, 1);
    EXPECT_LE(the_calls.asked, arrivals / 10);
  });
}

}  // namespace
}  // namespace oshen
