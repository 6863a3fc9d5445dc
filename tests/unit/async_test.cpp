// Non-blocking collectives of every kind, small and large, on regular and irregular teams. Many are under way,
// completed in any order, from several threads, and with delays. They also advance without calls of the PE.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "allocation/symmetric_heap.hpp"
#include "coll/api/nonblocking.hpp"
#include "coll/call/sequence.hpp"
#include "coll/shared_memory/peer_memory.hpp"
#include "coll/team/form.hpp"
#include "support/thread_job.hpp"
#include "wait/backoff.hpp"

namespace oshen::coll {
namespace {

using testing::run_job;
using number = std::uint64_t;

constexpr int job_sizes[] = {1, 2, 3, 5, 8};

// The element `i` that PE `pe` of the team contributes in round `round`.
number given(int pe, std::size_t i, int round) {
  return static_cast<number>(pe + 1) * 1000003u + i * 17u + static_cast<number>(round) * 101u;
}

// One operation, with its own buffers and their expected contents.
struct trial {
  team* t;
  kind collective;
  std::size_t n;  // elements of a contribution
  int round;
  number* source;
  number* dest;
  std::uint64_t request = 0;

  int root() const { return round % t->n_pes; }
  std::size_t pes() const { return static_cast<std::size_t>(t->n_pes); }

  void start() {
    for (std::size_t i = 0; i < n * pes(); ++i) source[i] = given(t->my_pe, i, round);
    std::fill_n(dest, n * pes(), 0u);
    const team_call at{t, "test"};
    switch (collective) {
      case kind::broadcast: request = async::broadcast(at, dest, source, n, root()); break;
      case kind::alltoall: request = async::alltoall(at, dest, source, n); break;
      case kind::fcollect: request = async::fcollect(at, dest, source, n); break;
      case kind::reduce:
        if (round % 2 == 1) dest = source;  // odd rounds are in place
        request = async::reduce<op_sum>(at, dest, source, n);
        break;
      default: request = async::sync(at);
    }
  }
  bool test() const { return request == 0 || async::test(*t, request); }
  void wait() const {
    if (request != 0) async::wait(*t, request, "test");
  }
  void claim() const {
    if (request != 0) async::claim(*t);
  }
  number sum(std::size_t i) const {
    number s = 0;
    for (int pe = 0; pe < t->n_pes; ++pe) s += given(pe, i, round);
    return s;
  }
  void check() const {
    const std::size_t mine = static_cast<std::size_t>(t->my_pe) * n;
    for (std::size_t i = 0; i < n; ++i) {
      if (collective == kind::broadcast || collective == kind::reduce) {
        ASSERT_EQ(dest[i], collective == kind::reduce ? sum(i) : given(root(), i, round));
      }
      if (collective != kind::alltoall && collective != kind::fcollect) continue;
      const std::size_t from = collective == kind::alltoall ? mine + i : i;
      for (int pe = 0; pe < t->n_pes; ++pe) {
        ASSERT_EQ(dest[static_cast<std::size_t>(pe) * n + i], given(pe, from, round));
      }
    }
  }
};

constexpr kind collectives[] = {kind::broadcast, kind::alltoall, kind::fcollect, kind::reduce, kind::sync};
constexpr std::size_t lengths[] = {1, 2, 7, 14, 15, 100, 5000};
constexpr std::size_t longest = 5000;

// Buffers for `count` trials.
class stock {
 public:
  stock(world& w, std::size_t count, std::size_t elements) : each_(elements * static_cast<std::size_t>(w.n_pes)) {
    source_ = static_cast<number*>(heap_malloc(w, "test", count * each_ * sizeof(number)));
    dest_ = static_cast<number*>(heap_malloc(w, "test", count * each_ * sizeof(number)));
  }
  trial make(team& t, std::size_t place, kind k, std::size_t n, int round) const {
    return {&t, k, n, round, source_ + place * each_, dest_ + place * each_};
  }

 private:
  std::size_t each_;
  number* source_;
  number* dest_;
};

void finish(const trial& a) {
  a.wait();
  a.claim();
  a.check();
}

// ---- one at a time, and several waited for in any order -------------------------------------------------------

void try_everything(world& w, team& t) {
  const stock buffers(w, 1, longest);
  int round = 0;
  for (const kind k : collectives)
    for (const std::size_t n : lengths)
      for (int repeat = 0; repeat < 3; ++repeat) {
        trial a = buffers.make(t, 0, k, n, ++round);
        a.start();
        finish(a);
      }
}

// Three rounds of more operations than there are requests. All PEs start them in the same order, and wait in any order.
void try_many(world& w, team& t, std::size_t count) {
  const stock buffers(w, count, 40);
  std::mt19937 alike(17), own(static_cast<unsigned>(w.pe));
  for (int round = 0; round < 3; ++round) {
    std::vector<trial> trials;
    for (std::size_t i = 0; i < count; ++i) {
      const kind k = collectives[alike() % std::size(collectives)];
      trials.push_back(buffers.make(t, i, k, 1 + alike() % 40, static_cast<int>(alike() % 1000)));
      trials.back().start();
      if (alike() % 4 == 0) sync_team(t, "test");  // a blocking collective in between
    }
    std::shuffle(trials.begin(), trials.end(), own);
    for (const trial& a : trials) finish(a);
  }
}

class NonBlocking : public ::testing::TestWithParam<int> {};

TEST_P(NonBlocking, EveryKindAndSize) {
  run_job(GetParam(), [](world& w) { try_everything(w, w.team_world); });
}

TEST_P(NonBlocking, ManyUnderWayWaitedForInAnyOrder) {
  run_job(GetParam(), [](world& w) {
    try_many(w, w.team_world, async::most_open);
    try_many(w, w.team_world, 3 * async::most_open);
  });
}

// A team of the odd PEs in reverse order, given by a list. It is created and destroyed twice, so that the second team
// gets a used slot.
TEST_P(NonBlocking, OnAnIrregularTeam) {
  run_job(GetParam(), [](world& w) {
    std::vector<int> odd;
    for (int pe = w.n_pes - 1; pe >= 0; --pe)
      if (pe % 2 == 1) odd.push_back(pe);
    const stock buffers(w, 1, 100);
    for (int repeat = 0; repeat < 2 && w.pe % 2 == 1; ++repeat) {
      team* t = form(w, {.n_pes = static_cast<int>(odd.size()), .list = odd.data()}, "test");
      ASSERT_NE(t, nullptr);
      for (int i = 0; i < 40; ++i) {
        trial a = buffers.make(*t, 0, collectives[i % 5], i % 2 == 0 ? 3 : 100, i);
        a.start();
        finish(a);
      }
      dissolve(*t, "test");
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, NonBlocking, ::testing::ValuesIn(job_sizes));

// ---- delays ------------------------------------------------------------------------------------------------

// Delays flags, copies and receives at random.
struct chaos : observer {
  std::mt19937 dice;
  explicit chaos(unsigned seed) : observer{disturb}, dice(seed) {}
  static void disturb(observer& self, const team&, event, int, std::size_t) {
    const unsigned roll = static_cast<chaos&>(self).dice() % 16;
    if (roll == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (roll < 4) std::this_thread::yield();
  }
};

TEST(NonBlockingChaos, ManyUnderWay) {
  run_job(5, [](world& w) {
    chaos late(static_cast<unsigned>(w.pe) + 1);
    w.team_world.watcher = &late;
    try_many(w, w.team_world, 2 * async::most_open + 1);
    sync_team(w.team_world, "test");
    w.team_world.watcher = nullptr;
  });
}

// A root that is far ahead must not overwrite a request flag that a slow PE has not read.
TEST(NonBlocking, TheRootDoesNotRunAway) {
  run_job(3, [](world& w) {
    constexpr int rounds = 200;
    auto* cells = static_cast<number*>(heap_malloc(w, "test", (rounds + 1) * sizeof(number)));
    for (int i = 0; i < rounds; ++i) {
      if (w.pe == 2 && i % 16 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      cells[rounds] = static_cast<number>(i);
      const auto r = async::broadcast({&w.team_world, "test"}, cells + i, cells + rounds, 1, 0);
      async::wait(w.team_world, r, "test");
      async::claim(w.team_world);
      ASSERT_EQ(cells[i], static_cast<number>(i));
    }
  });
}

// ---- dest ----------------------------------------------------------------------------------------------------

// No PE writes the dest of a PE that has not started, on one node and between nodes. The late PE looks at its dest when
// all others have long started.
TEST(NonBlocking, LeavesTheDestAloneUntilItsPeStarts) {
  static constexpr number untouched = ~number{0};
  for (const int node_pes : {0, 1, 2})
    run_job(
        4,
        [](world& w) {
          team& t = w.team_world;
          const stock buffers(w, 1, longest);
          int round = 0;
          for (const kind k : collectives)
            for (const std::size_t n : lengths) {
              trial a = buffers.make(t, 0, k, n, ++round);
              std::fill_n(a.dest, n * a.pes(), untouched);
              sync_team(t, "test");
              if (t.my_pe == (round + 1) % t.n_pes) {
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                EXPECT_EQ(std::count(a.dest, a.dest + n * a.pes(), untouched), n * a.pes()) << static_cast<int>(k);
              }
              a.start();
              finish(a);
              sync_team(t, "test");
            }
        },
        std::size_t{4} << 20, node_pes);
}

// ---- progress ----------------------------------------------------------------------------------------------

// PE 0 starts a reduction, of which it has to do a part, and then makes no calls: only its progress thread can do the
// part.
TEST(NonBlockingProgress, TheThreadWorksWhileThePeComputes) {
  run_job(3, [](world& w) {
    w.config.progress_thread = true;
    constexpr std::size_t n = 20000;
    const stock buffers(w, 1, n);
    auto* stop = static_cast<std::atomic<int>*>(heap_calloc(w, "test", 1, sizeof(int)));
    for (int round = 0; round < 3; ++round) {
      trial a = buffers.make(w.team_world, 0, kind::reduce, n, 2 * round);
      if (w.pe != 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // makes PE 0 the first
      a.start();
      if (w.pe == 0) {
        while (stop->load(std::memory_order_acquire) != (w.n_pes - 1) * (round + 1)) std::this_thread::yield();
        finish(a);
      } else {
        finish(a);
        peer_address(w.team_world, 0, stop)->fetch_add(1, std::memory_order_acq_rel);
      }
      sync_team(w.team_world, "test");
    }
  });
}

// The same without the thread: the only call of PE 0 is a wait for another event.
TEST(NonBlockingProgress, AnyOtherWaitOfThePeAdvances) {
  run_job(3, [](world& w) {
    constexpr std::size_t n = 20000;
    const stock buffers(w, 1, n);
    auto* done = static_cast<std::atomic<int>*>(heap_calloc(w, "test", 1, sizeof(int)));
    for (int round = 0; round < 3; ++round) {
      trial a = buffers.make(w.team_world, 0, kind::reduce, n, 2 * round);
      if (w.pe != 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      a.start();
      if (w.pe == 0) {
        const int wanted = (w.n_pes - 1) * (round + 1);
        wait_for(w, {.routine = "test"}, [&] { return done->load(std::memory_order_acquire) == wanted; });
        EXPECT_TRUE(a.test());
      } else {
        finish(a);
        peer_address(w.team_world, 0, done)->fetch_add(1, std::memory_order_acq_rel);
        wake(w.control(0).wakeup);
      }
      if (w.pe == 0) finish(a);
      sync_team(w.team_world, "test");
    }
  });
}

// With neither of them, nothing advances, so that the tests above can fail.
TEST(NonBlockingProgress, NothingAdvancesByItself) {
  run_job(2, [](world& w) {
    const stock buffers(w, 1, 20000);
    trial a = buffers.make(w.team_world, 0, kind::reduce, 20000, 0);
    const auto meet = [&] {
      ASSERT_EQ(w.launcher->barrier(), status::ok);
    };  // a barrier of the library would advance it
    if (w.pe == 0) a.start();
    meet();
    if (w.pe == 1) {
      a.start();
      for (int i = 0; i < 100; ++i) EXPECT_FALSE(a.test());
    }
    meet();
    finish(a);
  });
}

// ---- threads -----------------------------------------------------------------------------------------------

// One thread starts, another one waits.
TEST(NonBlockingThreads, AnotherThreadWaits) {
  run_job(3, [](world& w) {
    const stock buffers(w, 4, 100);
    for (int round = 0; round < 10; ++round) {
      std::vector<trial> trials;
      for (std::size_t i = 0; i < 4; ++i) {
        trials.push_back(buffers.make(w.team_world, i, collectives[i], 3 + i * 20, round));
        trials.back().start();
      }
      std::thread other([&] {
        for (const trial& a : trials) {
          while (!a.test()) std::this_thread::yield();
          a.claim();
        }
      });
      trials[3].wait();
      other.join();
      for (const trial& a : trials) a.check();
    }
  });
}

// One team for each thread, and a progress thread as well.
TEST(NonBlockingThreads, ATeamForEachThread) {
  run_job(3, [](world& w) {
    w.config.progress_thread = true;
    constexpr int threads = 3;
    std::vector<int> all(static_cast<std::size_t>(w.n_pes));
    std::iota(all.begin(), all.end(), 0);
    team* teams[threads];
    for (team*& t : teams) {
      t = form(w, {.n_pes = w.n_pes, .list = all.data()}, "test");
      ASSERT_NE(t, nullptr);
    }
    const stock buffers(w, threads, 2000);
    std::vector<std::thread> workers;
    for (std::size_t me = 0; me < threads; ++me)
      workers.emplace_back([&, me] {
        for (int i = 0; i < 30; ++i) {
          trial a =
              buffers.make(*teams[me], me, collectives[static_cast<std::size_t>(i) % 5], i % 2 == 0 ? 2 : 2000, i);
          a.start();
          finish(a);
        }
      });
    for (std::thread& t : workers) t.join();
    for (team* t : teams) dissolve(*t, "test");
  });
}

// ---- ends --------------------------------------------------------------------------------------------------

TEST(NonBlockingEnds, UnawaitedCallsAreCompletedAndReported) {
  ::testing::internal::CaptureStderr();
  run_job(3, [](world& w) {
    const stock buffers(w, 3, 5000);
    for (std::size_t i = 0; i < 3; ++i) {
      trial a = buffers.make(w.team_world, i, collectives[i], 5000, 1);
      a.start();
      if (i == 0) finish(a);
    }
  });
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("2 non-blocking collectives were never waited for"), std::string::npos) << said;
}

TEST(NonBlockingEnds, NothingToDoIsComplete) {
  run_job(2, [](world& w) {
    number* none = nullptr;
    EXPECT_EQ(async::broadcast({&w.team_world, "test"}, none, none, 0, 0), 0u);
    EXPECT_EQ(async::full_number(w.team_world, 1), 0u);
  });
}

// A late PE delays only PEs that are more than a window after it.
TEST(Visits, InTheOrderOfTheRingButPastLateOnes) {
  constexpr int n = 200;
  async::visits v;
  std::vector<int> order;
  const auto ready = [](int distance) { return distance != 3; };
  for (int d = v.next(n, ready); d >= 0; d = v.next(n, ready)) {
    order.push_back(d);
    v.mark(d);
  }
  EXPECT_EQ(v.first(), 3);
  EXPECT_EQ(order.size(), 3u + async::visits::window - 1);
  EXPECT_FALSE(v.all(n));
  const auto any = [](int) { return true; };
  for (int d = v.next(n, any); d >= 0; d = v.next(n, any)) {
    order.push_back(d);
    v.mark(d);
  }
  EXPECT_TRUE(v.all(n));
  std::sort(order.begin(), order.end());
  for (int d = 0; d < n; ++d) ASSERT_EQ(order[static_cast<std::size_t>(d)], d);
}

}  // namespace
}  // namespace oshen::coll
