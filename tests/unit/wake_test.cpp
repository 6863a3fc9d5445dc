// Counts which writes wake which waiters. A needless wake costs the writer a system call, and the waiter's next
// announcement interrupts the writer. tests/model has the protocol itself.
#include "wait/wake.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "allocation/symmetric_heap.hpp"
#include "op/amo.hpp"
#include "op/order.hpp"
#include "op/rma.hpp"
#include "op/signal.hpp"
#include "op/wait.hpp"
#include "op/wait_many.hpp"
#include "os/process.hpp"
#include "os/wakeup_fd.hpp"
#include "support/make_transport.hpp"
#include "support/thread_job.hpp"
#include "wait/backoff.hpp"
#include "wait/network_turns.hpp"
#include "wait/progress.hpp"
#include "wait/wait_policy.hpp"
#include "wait/watched_lines.hpp"
#include "world/network.hpp"

namespace oshen {
namespace {

using testing::run_job;

// ---- the meaning of a wake flag --------------------------------------------------------------------------

TEST(Watch, TouchesWhatOverlapsInCacheLines) {
  alignas(cache_line) static char area[64 * cache_line];
  const void* wakeup = area + 8 * cache_line;
  char* const lines = area + 16 * cache_line;
  const std::uint64_t word = watched_lines::encode(wakeup, lines + 8, 8);
  EXPECT_TRUE(watched_lines::touches(word, wakeup, lines, 1));
  EXPECT_TRUE(watched_lines::touches(word, wakeup, lines + 63, 1));
  EXPECT_TRUE(watched_lines::touches(word, wakeup, lines - 1, 2));
  EXPECT_TRUE(watched_lines::touches(word, wakeup, area, sizeof area));
  EXPECT_FALSE(watched_lines::touches(word, wakeup, lines - 1, 1));
  EXPECT_FALSE(watched_lines::touches(word, wakeup, lines + 64, 4096));
  EXPECT_FALSE(watched_lines::touches(word, wakeup, area, 64));  // below the wake flag
  const std::uint64_t wide = watched_lines::encode(wakeup, lines + 60, 8);
  EXPECT_TRUE(watched_lines::touches(wide, wakeup, lines, 1));
  EXPECT_TRUE(watched_lines::touches(wide, wakeup, lines + 64, 1));
  EXPECT_FALSE(watched_lines::touches(wide, wakeup, lines + 128, 1));
}

TEST(Watch, TwoThatDifferAreEverything) {
  alignas(cache_line) static char area[4 * cache_line];
  const std::uint64_t a = watched_lines::encode(area, area + 64, 8), b = watched_lines::encode(area, area + 128, 8);
  EXPECT_EQ(watched_lines::join(a, a), a);
  EXPECT_EQ(watched_lines::join(a, watched_lines::nothing), a);
  EXPECT_EQ(watched_lines::join(watched_lines::nothing, b), b);
  EXPECT_EQ(watched_lines::join(a, b), watched_lines::anything);
  EXPECT_TRUE(watched_lines::touches(watched_lines::anything, area, area, 1));
  EXPECT_EQ(watched_lines::encode(area, area, std::size_t{1} << 35), watched_lines::anything);
}

// ---- the calls that wake -----------------------------------------------------------------------------------

op::call_site here(world& w) { return {&w.default_context, "test"}; }

// PE 1 has announced that it sleeps, watching `watched` bytes, or flags if that is 0. PE 0 does `act`. Returns the
// wakes.
template <class Act>
std::uint32_t wakes_after(std::size_t watched, Act act) {
  std::uint32_t wakes = 0;
  run_job(2, [&](world& w) {
    auto* x = static_cast<long*>(heap_calloc(w, "test", 64, sizeof(long)));
    {
      sleeper s(w, x, watched);
      if (w.pe == 1) s.announce();
      EXPECT_EQ(w.launcher->barrier(), status::ok);  // wakes of earlier waits are over
      const std::uint32_t before = w.own_control().wakeup.wakes.load();
      EXPECT_EQ(w.launcher->barrier(), status::ok);
      if (w.pe == 0) act(w, x);
      EXPECT_EQ(w.launcher->barrier(), status::ok);
      if (w.pe == 1) wakes = w.own_control().wakeup.wakes.load() - before;
    }
    EXPECT_EQ(w.own_control().wakeup.watched.load(), watched_lines::nothing);  // a leaving waiter clears its flag
    EXPECT_EQ(w.own_control().wakeup.flag_state.load() & wake_flag::awaited, 0U);
    EXPECT_EQ(w.launcher->barrier(), status::ok);
  });
  return wakes;
}

TEST(WakeFlag, RingsForTheWatchedWord) {
  EXPECT_EQ(wakes_after(sizeof(long), [](world& w, long* x) { op::p(here(w), x, 1L, 1); }), 1U);
  EXPECT_EQ(wakes_after(sizeof(long), [](world& w, long* x) { op::atomic_add(here(w), x, 1L, 1); }), 1U);
  EXPECT_EQ(wakes_after(sizeof(long),
                        [](world& w, long* x) {
                          const long many[4] = {1, 2, 3, 4};
                          op::put(here(w), x, many, 4, 1);
                        }),
            1U);
  EXPECT_EQ(wakes_after(sizeof(long),
                        [](world& w, long* x) { op::signal_set(here(w), reinterpret_cast<std::uint64_t*>(x), 1, 1); }),
            1U);
}

// A PE may watch the data or the signal of a put with signal, with one element or many.
TEST(WakeFlag, RingsForDataAndSignal) {
  const auto put = [](world& w, long* data, std::size_t n, long* signal) {
    const long many[4] = {1, 2, 3, 4};
    op::put_signal(here(w), data, many, n, {reinterpret_cast<std::uint64_t*>(signal), 1, SHMEM_SIGNAL_SET}, 1);
  };
  for (const std::size_t n : {std::size_t{1}, std::size_t{4}}) {
    EXPECT_EQ(wakes_after(sizeof(long), [&](world& w, long* x) { put(w, x, n, x + 32); }), 1U);
    EXPECT_EQ(wakes_after(sizeof(long), [&](world& w, long* x) { put(w, x + 32, n, x); }), 1U);
    EXPECT_EQ(wakes_after(sizeof(long), [&](world& w, long* x) { put(w, x + 16, n, x + 32); }), 0U);
  }
}

// A real sleep, not only a count: PE 1 sleeps until PE 0 writes, and not longer.
TEST(WakeFlag, EndsASleep) {
  constexpr std::uint64_t at_most = 20'000'000'000, much_less = at_most / 2;
  run_job(2, [&](world& w) {
    auto* x = static_cast<long*>(heap_calloc(w, "test", 1, sizeof(long)));
    sleeper s(w, x, sizeof(long));
    if (w.pe == 1) s.announce();
    EXPECT_EQ(w.launcher->barrier(), status::ok);
    if (w.pe == 1) {
      const std::uint64_t began = os::now_ns();
      EXPECT_TRUE(s.sleep(at_most));
      EXPECT_LT(os::now_ns() - began, much_less);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));  // PE 1 is asleep afterwards
      op::p(here(w), x, 1L, 1);
    }
    EXPECT_EQ(w.launcher->barrier(), status::ok);
  });
}

TEST(WakeFlag, IsSilentForOtherMemory) {
  EXPECT_EQ(wakes_after(sizeof(long),
                        [](world& w, long* x) {
                          const long many[4] = {1, 2, 3, 4};
                          for (int i = 0; i < 1000; ++i) {
                            op::p(here(w), x + 8, 1L, 1);
                            op::put(here(w), x + 9, many, 4, 1);
                            op::atomic_add(here(w), x + 8, 1L, 1);
                            wake(w.control(1).wakeup);  // a flag of the library
                          }
                        }),
            0U);
}

TEST(WakeFlag, IsSilentForAllMemoryWhileABarrierIsAwaited) {
  EXPECT_EQ(wakes_after(0,
                        [](world& w, long* x) {
                          for (int i = 0; i < 1000; ++i) op::p(here(w), x, 1L, 1);
                        }),
            0U);
  EXPECT_EQ(wakes_after(0, [](world& w, long*) { wake(w.control(1).wakeup); }), 1U);
}

// ---- flags for all ---------------------------------------------------------------------------------------------

// For PEs that share CPUs, one word says whether any of them sleeps.
TEST(WakeFlag, AFlagForAllWakesSleepersOnly) {
  std::uint32_t wakes[3] = {};
  run_job(3, [&](world& w) {
    w.waiting.flags_are_fenced = true;
    w.own_control().wakeup.flag_state.store(wake_flag::needs_fence);
    EXPECT_EQ(w.launcher->barrier(), status::ok);
    const std::uint32_t before = w.own_control().wakeup.wakes.load();
    {
      sleeper s(w, nullptr, 0);
      if (w.pe == 1) s.announce();
      EXPECT_EQ(w.launcher->barrier(), status::ok);
      EXPECT_EQ(w.node().asleep.load(), 1U);
      EXPECT_EQ(w.launcher->barrier(), status::ok);
      if (w.pe == 0) wake_all(w.team_world);
      EXPECT_EQ(w.launcher->barrier(), status::ok);
    }
    EXPECT_EQ(w.launcher->barrier(), status::ok);
    EXPECT_EQ(w.node().asleep.load(), 0U);
    wakes[w.pe] = w.own_control().wakeup.wakes.load() - before;
    EXPECT_EQ(w.launcher->barrier(), status::ok);
  });
  EXPECT_EQ(wakes[0], 0U);
  EXPECT_EQ(wakes[1], 1U);
  EXPECT_EQ(wakes[2], 0U);
}

// ---- wakes in vain -------------------------------------------------------------------------------------------

// A counter is written a thousand times before it has the value that PE 1 waits for. A needlessly woken PE stays awake.
TEST(Backoff, DoesNotSleepAgainAtOnceAfterARingInVain) {
  std::uint32_t wakes = 0;
  run_job(2, [&](world& w) {
    w.waiting.quick_tests = w.waiting.quick_yields = 0;
    w.waiting.spin_ns = w.waiting.yield_ns = 1000000;
    w.waiting.longest_awake_ns = 1000000000000;
    auto* counter = static_cast<long*>(heap_calloc(w, "test", 1, sizeof(long)));
    constexpr long last = 300;
    if (w.pe == 1) {
      const std::uint32_t before = w.own_control().wakeup.wakes.load();
      op::wait_until(here(w), counter, SHMEM_CMP_EQ, last);
      wakes = w.own_control().wakeup.wakes.load() - before;
    } else {
      while (w.control(1).wakeup.watched.load() == watched_lines::nothing) os::yield();
      for (long i = 1; i <= last; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));  // longer than the first time awake
        op::p(here(w), counter, i, 1);
      }
    }
    EXPECT_EQ(w.launcher->barrier(), status::ok);
  });
  EXPECT_GE(wakes, 1U);
  EXPECT_LE(wakes, 20U);  // the time awake doubles with each wake, so that the tenth lasts longer than the test
}

// ---- waits for another node ----------------------------------------------------------------------------------

// Data of a far PE arrives by progress, so that a waiter that only tests would waste the time of all quick tests.
TEST(Backoff, MakesProgressForAFarPeAtOnce) {
  const auto turns_of = [](int node_pes, int waits_for) {
    std::uint32_t turns = 0;
    run_job(
        3,
        [&](world& w) {
          w.waiting.near_tests = 200;
          w.waiting.quick_yields = 0;
          const wait_info info{.routine = "test", .pe = waits_for};
          const std::uint32_t before = w.beyond->progress.program_advances.load();
          int tests = 0;
          if (w.pe == 0) wait_for(w, info, [&] { return ++tests == 4; });
          if (w.pe == 0) turns = w.beyond->progress.program_advances.load() - before;
          EXPECT_EQ(w.launcher->barrier(), status::ok);
        },
        std::size_t{4} << 20, node_pes);
    return turns;
  };
  EXPECT_GE(turns_of(1, 1), 1U);
  EXPECT_GE(turns_of(2, 2), 1U);
  EXPECT_EQ(turns_of(2, 1), 0U);
}

// Data that a card brings needs no progress, but peers may have requests for this PE.
TEST(Backoff, CallsTheNetworkOnceInSixteenTestsForWhatACardBrings) {
  constexpr std::uint64_t never = UINT64_MAX;
  const auto turns_of = [](awaited what, std::uint64_t without_network_ns, bool is_of_card = false) {
    std::uint32_t turns = 0;
    run_job(
        2,
        [&](world& w) {
          w.waiting.cpu_for_each = false;
          w.waiting.spin_ns = 1000000000000;
          w.waiting.tests_of_objects = 16;
          w.waiting.tests_of_signals = 4;
          w.waiting.tests_of_card_objects = 32;
          w.waiting.without_network_ns = without_network_ns;
          w.card_begin = w.segment.plan().symmetric_bytes() - 64;
          const std::size_t offset = w.card_begin - (is_of_card ? 0 : 64);
          const auto* object = reinterpret_cast<const char*>(w.default_context.heap_start) + offset;
          const wait_info info{.routine = "test", .object = object, .bytes = 8, .what = what};
          if (w.pe == 0) {
            backoff waiting(w, info);
            const std::uint32_t before = w.beyond->progress.program_advances.load();
            for (int i = 0; i < 160; ++i) EXPECT_TRUE(waiting.spin());
            turns = w.beyond->progress.program_advances.load() - before;
          }
          EXPECT_EQ(w.launcher->barrier(), status::ok);
        },
        std::size_t{4} << 20, 1);
    return turns;
  };
  EXPECT_EQ(turns_of(awaited::object, never), 10U);
  EXPECT_EQ(turns_of(awaited::signal, never), 40U);
  EXPECT_EQ(turns_of(awaited::flag, never), 160U);
  EXPECT_EQ(turns_of(awaited::object, never, true), 5U);
  EXPECT_EQ(turns_of(awaited::signal, never, true), 5U);
  EXPECT_EQ(turns_of(awaited::flag, never, true), 160U);
  EXPECT_EQ(turns_of(awaited::object, 0), 160U);
  EXPECT_EQ(turns_of(awaited::signal, 0), 160U);
}

// Peers wait longer for a PE whose tests take long, so it calls the network by the clock, too.
TEST(NetworkTurns, ComeEarlierIfTestsTakeLong) {
  constexpr std::uint64_t us = 1000, longest = wait_policy{}.without_network_ns, never = UINT64_MAX;
  const auto calls_in_160 = [](unsigned tests, std::uint64_t test_ns, std::uint64_t longest_ns) {
    network_turns turns;
    unsigned calls = 0;
    for (unsigned i = 0; i < 160; ++i) calls += turns.is_next(tests, 1 + i * test_ns, longest_ns) ? 1 : 0;
    return calls;
  };
  EXPECT_EQ(longest, 200 * us);
  EXPECT_EQ(calls_in_160(16, 0, longest), 10U);
  EXPECT_EQ(calls_in_160(16, 1 * us, longest), 10U);
  EXPECT_EQ(calls_in_160(16, 13 * us, longest), 10U);
  EXPECT_EQ(calls_in_160(16, 20 * us, longest), 16U);
  EXPECT_EQ(calls_in_160(16, 50 * us, longest), 40U);
  EXPECT_EQ(calls_in_160(16, 1000 * us, longest), 160U);
  EXPECT_EQ(calls_in_160(4, 20 * us, longest), 40U);
  EXPECT_EQ(calls_in_160(4, 100 * us, longest), 80U);
  EXPECT_EQ(calls_in_160(1, 0, longest), 160U);
  EXPECT_EQ(calls_in_160(16, 1000 * us, never), 10U);
}

TEST(NetworkTurns, GoOnAfterACallThatFoundSomething) {
  network_turns turns;
  EXPECT_TRUE(turns.is_next(16, 1, UINT64_MAX));
  EXPECT_FALSE(turns.is_next(16, 1, UINT64_MAX));
  turns.go_on();
  EXPECT_TRUE(turns.is_next(16, 1, UINT64_MAX));
  EXPECT_FALSE(turns.is_next(16, 1, UINT64_MAX));
}

// The number of times that the calling thread has slept; yielding the CPU does not count.
long sleeps() {
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_nvcsw;
}

// The number of sleeps since then, if each lasts as long as a sleep may.
long sleeps_since(const world& w, std::uint64_t began) {
  return static_cast<long>((os::now_ns() - began) / w.waiting.longest_sleep_ns);
}

// ---- thousands of PEs on a CPU ---------------------------------------------------------------------------------

// The limits are for a second and for all waiting PEs of a CPU together.
TEST(Crowd, DoesNotUseUpItsCpuByWaiting) {
  for (const int pes : {1, 2, 20, 64, 1000, 4096, 100000}) {
    const wait_policy p = choose_waiting({}, 2 * pes, 2, true);
    const auto times = [&](std::uint64_t every_ns) { return static_cast<std::uint64_t>(pes) * 1000000000 / every_ns; };
    EXPECT_LE(times(p.look_every_ns), 200U) << pes;
    EXPECT_LE(times(p.longest_sleep_ns), 4000U) << pes;
    EXPECT_LE(times(p.standby_ns), 50000U) << pes;
    EXPECT_LE(times(p.retry_ns), 100000U) << pes;
  }
}

// A PE waits for `seconds`, by the rules of a crowd on its CPU. Counts its looks around and its sleeps.
TEST(Crowd, LooksAndWakesLessOften) {
  constexpr int crowd = 4000;
  run_job(1, [](world& w) {
    w.waiting = choose_waiting(w.config, crowd, 1, w.waiting.kernel_wakes);
    w.waiting.quick_yields = 0;
    w.waiting.yield_ns = 0;
    const std::atomic<int>& looks = static_cast<testing::thread_launcher*>(w.launcher)->looks;
    const long slept = sleeps();
    const std::uint64_t began = os::now_ns(), end = began + 1500000000;
    wait_for(w, {.routine = "test"}, [&] { return os::now_ns() >= end; });
    const std::uint64_t waited = os::now_ns() - began;
    EXPECT_LE(static_cast<std::uint64_t>(looks.load()), waited / w.waiting.look_every_ns);
    if (w.waiting.kernel_wakes) {
      EXPECT_LE(static_cast<std::uint64_t>(sleeps() - slept), 12 + waited / w.waiting.longest_sleep_ns);
    }
  });
}

// The voluntary context switches of all threads of this process.
std::uint64_t switches_of_process() {
  std::uint64_t sum = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(thread.path() / "status");
    for (std::string word; status >> word;)
      if (std::uint64_t n = 0; word == "voluntary_ctxt_switches:" && status >> n) sum += n;
  }
  return sum;
}

// While a thread of the program makes progress, the network's own thread wakes up only to see whether it still does.
TEST(Crowd, StandsByForLonger) {
  run_job(
      2,
      [](world& w) {
        end_network_thread(*w.beyond);  // which reads what changes here
        w.beyond->stopping.store(false);
        w.waiting.standby_ns = choose_waiting(w.config, 4000, 1, true).standby_ns;
        start_network_thread(w);
        EXPECT_EQ(w.launcher->barrier(), status::ok);
        if (w.pe == 0) {
          const std::uint64_t before = switches_of_process(), began = os::now_ns();
          while (os::now_ns() - began < 800000000) advance_network(w);
          const std::uint64_t rounds = (os::now_ns() - began) / w.waiting.standby_ns;
          EXPECT_LE(switches_of_process() - before, 100 + 2 * rounds);
        }
        EXPECT_EQ(w.launcher->barrier(), status::ok);
      },
      std::size_t{4} << 20, 1);
}

TEST(Standby, LastsAsLongAsTheProgramHasServedItsPeers) {
  const wait_policy p = choose_waiting({}, 2, 2, true);
  constexpr std::uint64_t us = 1000;
  const auto next = [&p](std::uint64_t before, std::uint32_t advances) { return next_standby(p, before, advances); };
  EXPECT_EQ(next(0, 0), 200 * us);
  EXPECT_EQ(next(200 * us, 13), 400 * us);  // every 15 us
  EXPECT_EQ(next(400 * us, 25), 800 * us);
  EXPECT_EQ(next(800 * us, 1000), 800 * us);
  EXPECT_EQ(next(800 * us, 49), 200 * us);  // every 16.3 us
  EXPECT_EQ(next(200 * us, 12), 200 * us);
  const wait_policy crowd = choose_waiting({}, 4000, 1, true);
  EXPECT_EQ(next_standby(crowd, crowd.standby_ns, 1), crowd.standby_ns);
}

// ---- the network is busy ---------------------------------------------------------------------------------------

// PE 0 repeatedly writes to PE 1 or reads from it, while PE 1 waits in the network's descriptor for another event. If
// PE 0 stands still, PE 1 sleeps again and again, each time up to a limit.
TEST(Backoff, DoesNotSleepWhileTheNetworkIsBusy) {
  for (const bool writes : {true, false}) {
    long slept = 0, allowed = 0;
    run_job(
        2,
        [&](world& w) {
          w.waiting.quick_tests = w.waiting.quick_yields = 0;
          w.waiting.cpu_for_each = false;
          w.waiting.spin_ns = w.waiting.yield_ns = 1000000;
          w.waiting.longest_awake_ns = 1000000000000;
          auto* x = static_cast<long*>(heap_calloc(w, "test", 64, sizeof(long)));
          constexpr int times = 200;
          if (w.pe == 1) {
            const long before = sleeps();
            const std::uint64_t began = os::now_ns();
            op::wait_until(here(w), x, SHMEM_CMP_EQ, 1L);
            slept = sleeps() - before;
            allowed = 40 + sleeps_since(w, began);
          } else {
            for (int i = 0; i <= times; ++i) {
              std::this_thread::sleep_for(std::chrono::milliseconds(3));  // longer than the first time awake
              if (writes || i == times)
                op::p(here(w), i == times ? x : x + 32, 1L, 1);
              else
                EXPECT_EQ(op::g(here(w), x + 32, 1), 0L);
              op::quiet(here(w));
            }
          }
          EXPECT_EQ(w.launcher->barrier(), status::ok);
        },
        std::size_t{4} << 20, 1);
    EXPECT_LE(slept, allowed) << (writes ? "puts" : "gets");
  }
}

// ---- an operation must be tried again --------------------------------------------------------------------------

// PE 0 runs `body` beside a put to PE 2, which reads nothing meanwhile. PE 1 runs `peer`. PE 0 has no thread for the
// network, so that only `body` makes progress.
template <class Body, class Peer>
void beside_a_refused_put(Body body, Peer peer) {
  run_job(
      3,
      [&](world& w) {
        w.waiting.quick_tests = w.waiting.quick_yields = 0;
        w.waiting.spin_ns = w.waiting.yield_ns = 0;
        auto* x = static_cast<long*>(heap_calloc(w, "test", 8192, sizeof(long)));
        const std::vector<long> source(8192);
        if (w.pe != 1) end_network_thread(*w.beyond);
        EXPECT_EQ(w.launcher->barrier(), status::ok);
        if (w.pe == 0) {
          const auto deferred = [&] { return w.beyond->endpoint.may_block() == transport::blocking::for_a_moment; };
          for (int i = 0; i < 10000 && !deferred(); ++i) op::put_nbi(here(w), x, source.data(), 8192, 2);
          EXPECT_TRUE(deferred()) << "the test needs a put that the transport refuses";
          body(w, x);
        } else if (w.pe == 1) {
          peer(w, x);
        }
        EXPECT_EQ(w.launcher->barrier(), status::ok);
        if (w.pe != 1) {
          w.beyond->stopping.store(false);
          start_network_thread(w);
        }
        op::quiet(here(w));
        EXPECT_EQ(w.launcher->barrier(), status::ok);
      },
      std::size_t{4} << 20, 1);
}

// ---- an acknowledgement is left due ------------------------------------------------------------------------------

// A transport that delivers something in each call of a thread of the program, and may leave an acknowledgement due.
struct owing {
  std::atomic<bool> owes{false};
  std::atomic<bool> delivers{false};
  int fd = -1;
};
owing& owing_of(transport::instance* i) { return *reinterpret_cast<owing*>(i); }
owing the_owing;

constexpr transport::transport owing_transport = testing::make_transport("owing", [](transport::transport& t) {
  t.open = [](const transport::open_params&, transport::instance** made, transport::attributes*, char*, std::size_t) {
    *made = reinterpret_cast<transport::instance*>(&the_owing);
    return true;
  };
  t.progress = [](transport::instance* i) { return owing_of(i).delivers.load() ? 1 : 0; };
  t.wait_fd = [](transport::instance* i) { return owing_of(i).fd; };
  t.owes_acks = [](transport::instance* i) { return owing_of(i).owes.load(); };
});

// Runs `body` in a job of one PE that has this transport.
template <class Body>
void with_owing_transport(Body body) {
  run_job(1, [&](world& w) {
    network n;
    n.home = &w;
    char why[64] = "";
    transport::open_params how;
    how.n_pes = 1;
    ASSERT_TRUE(n.endpoint.open(owing_transport, how, why, sizeof why)) << why;
    the_owing.owes = the_owing.delivers = false;
    the_owing.fd = os::open_wakeup_fd();
    n.progress.thread_wakeup = os::open_wakeup_fd();
    w.beyond = &n;
    body(w, n);
    w.beyond = nullptr;
    n.endpoint.close();
    close(n.progress.thread_wakeup), close(the_owing.fd);
  });
}

bool is_readable(int fd) {
  pollfd one{fd, POLLIN, 0};
  return poll(&one, 1, 0) == 1;
}

// The thread of the program wakes the network's thread only if that blocks and something is due.
TEST(LeftAck, WakesTheNetworkThreadThatBlocks) {
  with_owing_transport([](world& w, network& n) {
    using mode = progress_state;
    the_owing.delivers = true;
    for (const std::uint32_t m : {mode::active, mode::standby, mode::deep_standby, mode::blocked})
      for (const bool owes : {false, true}) {
        n.progress.thread_mode = m;
        the_owing.owes = owes;
        EXPECT_TRUE(advance_network(w));
        EXPECT_EQ(is_readable(n.progress.thread_wakeup), owes && m == mode::blocked) << m;
      }
  });
}

// The network's thread says that it blocks, and goes on when it is called. It stands by meanwhile, so one call is
// enough for many messages.
TEST(LeftAck, IsNoticedByTheNetworkThread) {
  with_owing_transport([](world& w, network& n) {
    w.waiting.standby_ns = 20000000000;  // until a sleeper calls the thread
    start_network_thread(w);
    const auto await_mode = [&](std::uint32_t mode) {
      while (n.progress.thread_mode.load() != mode) std::this_thread::yield();
    };
    await_mode(progress_state::blocked);
    the_owing.owes = the_owing.delivers = true;
    EXPECT_TRUE(advance_network(w));
    the_owing.delivers = false;
    await_mode(progress_state::standby);
    the_owing.owes = false;
    begin_sleep(n);
    end_sleep(n);
    await_mode(progress_state::blocked);
    end_network_thread(n);
  });
}

// A put to a stopped PE must not keep a waiting PE awake.
TEST(Retries, CostAWaitFewSleeps) {
  long slept = 0, allowed = 0;
  beside_a_refused_put(
      [&](world& w, long* x) {
        const long before = sleeps();
        const std::uint64_t began = os::now_ns();
        op::wait_until(here(w), x, SHMEM_CMP_EQ, 1L);
        slept = sleeps() - before;
        allowed = 85 + sleeps_since(w, began);
      },
      [](world& w, long* x) {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        op::p(here(w), x, 1L, 0);
      });
  EXPECT_LE(slept, allowed);
}

// Blocks until `n` naps in a row have ended without an event. Returns their length together.
std::uint64_t nap_in_vain(world& w, int n) {
  std::uint64_t began = os::now_ns();
  for (int naps = 0; naps < n; ++naps) {
    if (!poll_blocking(*w.beyond, 1000000000)) continue;
    advance_network(w);
    naps = -1;
    began = os::now_ns();
  }
  return os::now_ns() - began;
}

TEST(Retries, ComeLaterAndLaterUntilThereIsProgress) {
  constexpr int naps = 9;
  std::atomic<int> writes{0};
  beside_a_refused_put(
      [&](world& w, long*) {
        const std::atomic<std::uint64_t>& next = w.beyond->progress.retry_ns;
        EXPECT_GE(nap_in_vain(w, naps), w.waiting.retry_ns * ((1 << naps) - 1));
        EXPECT_GT(next.load(), w.waiting.retry_ns);
        writes.store(1);
        while (!advance_network(w)) os::yield();
        EXPECT_EQ(next.load(), 0U);
        for (int i = 0; i < 20; ++i) nap_in_vain(w, 1);
        EXPECT_LE(next.load(), std::max(w.waiting.longest_sleep_ns, w.waiting.retry_ns));
        // An arrival ends a nap.
        writes.store(2);
        int ended_by_time = 0;
        while (ended_by_time < 300 && !poll_blocking(*w.beyond, 1000000000)) ++ended_by_time;
        EXPECT_LT(ended_by_time, 300);
        EXPECT_EQ(next.load(), 0U);
        writes.store(3);
      },
      [&](world& w, long* x) {
        for (int write = 1; write <= 2; ++write) {
          while (writes.load() < write) os::yield();
          op::p(here(w), x, 1L, 0);
        }
        while (writes.load() < 3) os::yield();
      });
}

// A transport that always has work and never gets on with it.
constexpr transport::transport busy_transport = oshen::testing::make_transport("busy", [](transport::transport& t) {
  t.open = [](const transport::open_params&, transport::instance** made, transport::attributes* properties, char*,
              std::size_t) {
    properties->message_bytes = transport::min_message_bytes;
    *made = reinterpret_cast<transport::instance*>(made);
    return true;
  };
  t.progress = [](transport::instance*) { return 0; };
  t.wait_fd = [](transport::instance*) { return 0; };
  t.may_block = [](transport::instance*) { return transport::blocking::not_now; };
});

// No descriptor reports an arrival meanwhile.
TEST(Retries, ComeSoonIfNothingWouldEndANap) {
  run_job(1, [](world& w) {
    network n;
    char why[64];
    ASSERT_TRUE(n.endpoint.open(busy_transport, {}, why, sizeof why));
    n.home = &w;
    network* const before = std::exchange(w.beyond, &n);
    for (int naps = 0; naps < 12; ++naps) EXPECT_FALSE(poll_blocking(n, 1000000000));
    EXPECT_LE(n.progress.retry_ns.load(), std::max<std::uint64_t>(1000000, w.waiting.retry_ns));
    w.beyond = before;
    n.endpoint.close();
  });
}

// ---- programs that wait by testing ----------------------------------------------------------------------------

// More PEs than CPUs: PE 1 tests until PE 0 has written, and does `between` between two tests. PE 0 first writes
// `writes` times to another variable. Returns the numbers of sleeps and wakes of PE 1.
template <class Look, class Between>
std::pair<long, std::uint32_t> look_for_a_while(int writes, Look look, Between between, int node_pes = 0) {
  std::pair<long, std::uint32_t> seen;
  const auto body = [&](world& w) {
    w.waiting.cpu_for_each = false;
    w.waiting.tests_give_way = true;
    w.waiting.yield_ns = 1000000;
    auto* x = static_cast<long*>(heap_calloc(w, "test", 64, sizeof(long)));
    if (w.pe == 1) {
      const long slept = sleeps();
      const std::uint32_t woken = w.own_control().wakeup.wakes.load();
      while (!look(w, x)) between();
      seen = {sleeps() - slept, w.own_control().wakeup.wakes.load() - woken};
    } else {
      for (int i = 0; i <= writes; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(writes == 0 ? 100 : 5));
        op::p(here(w), i == writes ? x : x + 32, 1L, 1);
      }
      op::quiet(here(w));
    }
    EXPECT_EQ(w.launcher->barrier(), status::ok);
  };
  run_job(2, body, std::size_t{4} << 20, node_pes);
  return seen;
}

void nothing() {}
void other_work() {
  for (const std::uint64_t end = os::own_use().cpu_ns + 50000; os::own_use().cpu_ns < end;) os::pause();
}
bool test_is_met(world& w, long* x) { return op::test(here(w), x, SHMEM_CMP_EQ, 1L) != 0; }
bool fetch_is_met(world& w, long* x) { return op::atomic_fetch(here(w), x, w.pe) == 1; }
bool some_are_met(world& w, long* x) {
  std::size_t found[2];
  return op::test_some(op::set_of(here(w), x, 2, nullptr, SHMEM_CMP_EQ, 1L), found) != 0;
}

// The result of one of several attempts, at least `enough` if possible: a loaded machine may give the looks no time.
template <class Attempt>
long most_of(long enough, Attempt attempt) {
  long most = 0;
  for (int i = 0; i < 20 && most < enough; ++i) most = std::max(most, attempt());
  return most;
}
template <class Look>
long sleeps_of(Look look, long enough, int node_pes) {
  return most_of(enough, [&] { return look_for_a_while(0, look, nothing, node_pes).first; });
}

TEST(Looking, SleepsAfterAWhileAsAWaitDoes) {
  for (const int node_pes : {0, 1}) {
    EXPECT_GE(sleeps_of(test_is_met, 3, node_pes), 3);
    EXPECT_GE(sleeps_of(some_are_met, 3, node_pes), 3);
    EXPECT_GE(sleeps_of(fetch_is_met, 3, node_pes), 3);
  }
}

TEST(Looking, IsWokenByAnyWriter) {
  EXPECT_GE(most_of(1, [] { return static_cast<long>(look_for_a_while(20, test_is_met, nothing).second); }), 1);
}

// The tests of a program must not sleep if the program works between them.
TEST(Looking, DoesNotSleepBesideOtherWork) {
  EXPECT_LE(look_for_a_while(0, test_is_met, other_work).first, 1);
  EXPECT_LE(look_for_a_while(0, fetch_is_met, other_work).first, 1);
}

// ---- another process on this PE's CPU ----------------------------------------------------------------------

// Puts the calling thread on the first CPU that this process may use.
void share_first_cpu() {
  cpu_set_t allowed, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
}

// A thread that uses the first CPU during the life of this object.
class busy_thread {
 public:
  busy_thread()
      : thread_([this] {
          share_first_cpu();
          while (!ended_.load()) os::pause();
        }) {}
  ~busy_thread() {
    ended_.store(true);
    thread_.join();
  }

 private:
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

// Milliseconds of testing until the PE is about to sleep, at most 100.
int tests_before_sleep(bool cpu_for_each) {
  const busy_thread other;
  int tests = 0;
  run_job(1, [&](world& w) {
    share_first_cpu();
    w.waiting.cpu_for_each = cpu_for_each;
    w.waiting.quick_tests = w.waiting.quick_yields = 0;
    w.waiting.spin_ns = w.waiting.yield_ns = 3600ull * 1000000000;
    wait_for(w, {.routine = "test"}, [&] {
      for (const std::uint64_t end = os::now_ns() + 1000000; os::now_ns() < end;) os::pause();
      return ++tests == 100 || (w.own_control().wakeup.flag_state.load() & wake_flag::awaited) != 0;
    });
  });
  return tests;
}

// A PE with its own CPU spins. If it loses the CPU for a long time, another process uses that CPU. Spinning would use
// up the PE's share of the CPU before data arrives, so that it sleeps instead.
TEST(ForeignLoad, SendsThosePesToSleepThatSpin) {
  EXPECT_LE(tests_before_sleep(true), 50);
  EXPECT_EQ(tests_before_sleep(false), 100);
}

// The kernel's count distinguishes this from a call that takes long by itself.
TEST(ForeignLoad, IsWhatTheKernelSays) {
  const busy_thread other;
  std::thread([] {
    share_first_cpu();
    std::uint64_t before = 0, after = 0;
    const bool is_known = os::waited_for_cpu(before);
    for (const std::uint64_t end = os::now_ns() + 100000000; os::now_ns() < end;) os::pause();
    EXPECT_EQ(os::waited_for_cpu(after), is_known);
    if (is_known) {
      EXPECT_GT(after - before, 20000000U);
    }
  }).join();
}

}  // namespace
}  // namespace oshen
