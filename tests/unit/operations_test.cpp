// RMA, atomics, signals, waits and locks between PEs that are threads, for the sanitizers.
#include <gtest/gtest.h>

#include "allocation/symmetric_heap.hpp"
#include "coll/api/collectives.hpp"
#include "coll/call/sequence.hpp"
#include "op/amo.hpp"
#include "op/lock.hpp"
#include "op/signal.hpp"
#include "op/strided.hpp"
#include "op/wait_many.hpp"
#include "support/thread_job.hpp"

namespace oshen::op {
namespace {

using testing::run_job;

call_site here(world& w) { return {&w.default_context, "test"}; }
void meet(world& w) { coll::sync_team(w.team_world, "test"); }
int right(const world& w) { return (w.pe + 1) % w.n_pes; }
int left(const world& w) { return (w.pe + w.n_pes - 1) % w.n_pes; }

template <class T>
T* symmetric(world& w, std::size_t n) {
  auto* p = static_cast<T*>(heap_calloc(w, "test", n, sizeof(T)));
  EXPECT_NE(p, nullptr);
  return p;
}

// The range check subtracts the size of an element from that of the area, so that an empty area would accept any
// address.
TEST(Operations, NoAreaIsEmpty) {
  EXPECT_GE(plan_of(8, 8, 0, 0).heap_bytes, cache_line);
  const context none;
  EXPECT_GE(none.heap_bytes, cache_line);
  EXPECT_GE(none.data_bytes, cache_line);
  int on_stack = 0;
  EXPECT_FALSE(fits(reinterpret_cast<std::uintptr_t>(&on_stack) - none.heap_start, sizeof on_stack, none.heap_bytes));
  EXPECT_FALSE(fits(0 - none.heap_start, 8, none.heap_bytes));
}

// The numbers of docs/design/node-segment.md.
TEST(Operations, OnlyJobsWithOtherNodesHaveOperandBuffers) {
  EXPECT_EQ(plan_of(8, 8, 0, 0).annex_bytes, 516968448U);
  EXPECT_EQ(plan_of(8, 4, 0, 0).annex_bytes, 1594904576U + 8 * 1024);
}

TEST(Operations, PutThenFenceThenFlag) {
  run_job(3, [](world& w) {
    long* data = symmetric<long>(w, 1000);
    long* flag = symmetric<long>(w, 1);
    std::vector<long> mine(1000);
    for (long round = 1; round <= 200; ++round) {
      std::fill(mine.begin(), mine.end(), w.pe * 1000 + round);
      put(here(w), data, mine.data(), mine.size(), right(w));
      fence(here(w));
      p(here(w), flag, round, right(w));
      wait_until(here(w), flag, SHMEM_CMP_GE, round);
      for (int i = 0; i < 1000; ++i) ASSERT_EQ(data[i], left(w) * 1000 + round);
      meet(w);
    }
  });
}

TEST(Operations, PutSignalBringsItsData) {
  run_job(5, [](world& w) {
    std::uint64_t* signal = symmetric<std::uint64_t>(w, 1);
    double* data = symmetric<double>(w, 333);
    for (int round = 1; round <= 100; ++round) {
      std::vector<double> mine(333, w.pe + round * 0.5);
      put_signal(here(w), data, mine.data(), mine.size(), {signal, 1, SHMEM_SIGNAL_ADD}, right(w));
      EXPECT_EQ(signal_wait_until(here(w), signal, SHMEM_CMP_GE, static_cast<std::uint64_t>(round)),
                static_cast<std::uint64_t>(round));
      for (int i = 0; i < 333; ++i) ASSERT_EQ(data[i], left(w) + round * 0.5);
      meet(w);
    }
  });
}

TEST(Operations, AtomicsCountExactly) {
  run_job(5, [](world& w) {
    int* counter = symmetric<int>(w, 1);
    std::uint64_t* bits = symmetric<std::uint64_t>(w, 1);
    for (int i = 0; i < 1000; ++i) {
      atomic_inc(here(w), counter, i % w.n_pes);
      atomic_fetch_xor(here(w), bits, std::uint64_t{1} << w.pe, i % w.n_pes);
    }
    meet(w);
    int sum = 0;
    for (int pe = 0; pe < w.n_pes; ++pe) sum += atomic_fetch(here(w), counter, pe);
    EXPECT_EQ(sum, 1000 * w.n_pes);
    EXPECT_EQ(*bits, 0u);
    meet(w);
  });
}

TEST(Operations, StridedBlocks) {
  run_job(2, [](world& w) {
    int* dest = symmetric<int>(w, 100);
    std::vector<int> source(100);
    for (int i = 0; i < 100; ++i) source[static_cast<std::size_t>(i)] = i + 100 * w.pe;
    ibput(here(w), dest, source.data(), {7, 5, 3, 10}, right(w));
    meet(w);
    for (int block = 0; block < 10; ++block)
      for (int i = 0; i < 7 && block * 7 + i < 100; ++i)
        ASSERT_EQ(dest[block * 7 + i], i < 3 ? block * 5 + i + 100 * left(w) : 0);
    meet(w);
  });
}

TEST(Operations, WaitForManyStarvesNoVariable) {
  run_job(3, [](world& w) {
    long* flags = symmetric<long>(w, 8);
    if (w.pe != 0) {
      for (int i = w.pe - 1; i < 8; i += 2) atomic_set(here(w), flags + i, 1L, 0);
    } else {
      int seen[8] = {};
      for (int i = 0; i < 8; ++i) {
        const std::size_t k = wait_until_any(set_of(here(w), flags, 8, seen, SHMEM_CMP_EQ, 1L));
        ASSERT_LT(k, 8u);
        ASSERT_EQ(seen[k]++, 0);
      }
      EXPECT_EQ(wait_until_any(set_of(here(w), flags, 8, seen, SHMEM_CMP_EQ, 1L)), SIZE_MAX);
      EXPECT_EQ(test_all(set_of(here(w), flags, 8, seen, SHMEM_CMP_EQ, 2L)), 1);
      std::size_t found[8];
      EXPECT_EQ(test_some(set_of(here(w), flags, 8, nullptr, SHMEM_CMP_EQ, 1L), found), 8u);
      EXPECT_EQ(wait_until_some(set_of(here(w), flags, 0, nullptr, SHMEM_CMP_EQ, 1L), found), 0u);
    }
    meet(w);
  });
}

TEST(Operations, LockExcludes) {
  run_job(5, [](world& w) {
    long* lock = symmetric<long>(w, 1);
    long* guarded = symmetric<long>(w, 2);  // not atomic, so that the lock has to order the accesses
    for (int i = 0; i < 200; ++i) {
      if (i % 3 == 0) {
        while (test_lock(here(w), lock) != 0) std::this_thread::yield();
      } else {
        set_lock(here(w), lock);
      }
      long* at_zero = byte_offset(guarded, w.default_context.offset_to(0));
      const long before = at_zero[0];
      at_zero[1] = w.pe;
      at_zero[0] = before + 1;
      ASSERT_EQ(at_zero[1], w.pe);
      clear_lock(here(w), lock);
    }
    meet(w);
    if (w.pe == 0) {
      EXPECT_EQ(guarded[0], 200 * w.n_pes);
    }
    for (int pe = 0; pe < w.n_pes; ++pe) EXPECT_EQ(g(here(w), lock, pe), 0);
    meet(w);
  });
}

// Three threads of each PE compete for the same lock.
TEST(Operations, LockExcludesThreadsOfOnePe) {
  run_job(2, [](world& w) {
    w.thread_level = SHMEM_THREAD_MULTIPLE;
    long* lock = symmetric<long>(w, 1);
    long* guarded = symmetric<long>(w, 1);
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; ++k)
      threads.emplace_back([&, k] {
        for (int i = 0; i < 100; ++i) {
          if ((i + k) % 4 != 0)
            set_lock(here(w), lock);
          else
            while (test_lock(here(w), lock) != 0) std::this_thread::yield();
          ++*byte_offset(guarded, w.default_context.offset_to(0));
          clear_lock(here(w), lock);
        }
      });
    for (std::thread& thread : threads) thread.join();
    meet(w);
    if (w.pe == 0) {
      EXPECT_EQ(*guarded, 2 * 3 * 100);
    }
    meet(w);
  });
}

// A sleeper that is not woken would sleep until its limit, again and again. With far more PEs than CPUs, thousands of
// hand-overs finish in time only if the wake flag works.
TEST(Operations, SleepersAreWoken) {
  run_job(8, [](world& w) {
    w.waiting.quick_tests = w.waiting.quick_yields = 0;  // straight to sleep
    w.waiting.spin_ns = 0;
    w.waiting.yield_ns = 0;
    w.waiting.first_sleep_ns = w.waiting.longest_sleep_ns = 5000000000;
    long* turn = symmetric<long>(w, 1);
    for (long round = 1; round <= 300; ++round) {
      if (w.pe == 0) p(here(w), turn, round, right(w));
      wait_until(here(w), turn, SHMEM_CMP_GE, round);
      if (w.pe != 0) p(here(w), turn, round, right(w));
    }
    meet(w);
  });
}

}  // namespace
}  // namespace oshen::op
