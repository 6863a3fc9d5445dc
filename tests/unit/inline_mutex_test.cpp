#include "os/inline_mutex.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace oshen::os {
namespace {

// More threads than CPUs, so that one finds the lock taken by a thread that has lost its CPU.
TEST(InlineMutex, LetsOneThreadInAtATime) {
  constexpr int n_threads = 8, rounds = 50000;
  inline_mutex m;
  int inside = 0, most_inside = 0;
  long count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < n_threads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        const inline_locked hold(m);
        most_inside = std::max(most_inside, ++inside);
        ++count;
        if (i % 1000 == 0) std::this_thread::yield();
        --inside;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(most_inside, 1);
  EXPECT_EQ(count, long{n_threads} * rounds);
}

TEST(InlineMutex, IsNotTakenTwice) {
  inline_mutex m;
  EXPECT_TRUE(m.try_lock());
  std::thread([&] { EXPECT_FALSE(m.try_lock()); }).join();
  m.unlock();
  EXPECT_TRUE(m.try_lock());
  m.unlock();
}

}  // namespace
}  // namespace oshen::os
