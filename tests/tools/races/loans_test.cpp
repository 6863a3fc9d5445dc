// The loans of the race detector, against a list of them.
#include "loans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace races {
namespace {

constexpr std::uintptr_t base = 1 << 20;

loan loan_of(std::uintptr_t start, std::size_t bytes, bool writes, std::uint32_t target = 0) {
  return {start, bytes, {.target = target, .writes = writes}, 1};
}

TEST(Loans, ConflictIfOneOfBothWrites) {
  loans some;
  EXPECT_TRUE(some.empty());
  some.add(loan_of(base, 8, false));
  EXPECT_FALSE(some.empty());
  EXPECT_EQ(some.conflict(base, 8, false), nullptr);
  EXPECT_NE(some.conflict(base, 8, true), nullptr);
  some.add(loan_of(base + 8, 8, true));
  EXPECT_NE(some.conflict(base + 8, 8, false), nullptr);
}

TEST(Loans, ThatAgreeAreOne) {
  loans some;
  for (int i = 0; i < 1000; ++i) some.add(loan_of(base, 8, false, 2));
  some.end([](const loan& l) { return l.what.target == 1; });
  EXPECT_FALSE(some.empty());
  int ended = 0;
  some.end([&](const loan&) { return ++ended == 1; });
  EXPECT_EQ(ended, 1);
  EXPECT_TRUE(some.empty());
}

TEST(Loans, EndsOfMemoryAreMemory) {
  loans some;
  some.add(loan_of(0, 16, true));
  some.add(loan_of(~std::uintptr_t{0} - 8, 8, true));
  EXPECT_NE(some.conflict(15, 1, false), nullptr);
  EXPECT_EQ(some.conflict(16, 64, false), nullptr);
  EXPECT_NE(some.conflict(~std::uintptr_t{0} - 1, 1, false), nullptr);
}

TEST(Loans, AgreeWithAList) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  for (int program = 0; program < 20; ++program) {
    loans some;
    std::vector<loan> all;
    for (int step = 0; step < 2000; ++step) {
      const std::uintptr_t start = base + below(4000);
      const std::size_t bytes = 1 + below(std::size_t{1} << below(10));
      const bool writes = below(2) != 0;
      if (below(3) == 0) {
        all.push_back(loan_of(start, bytes, writes, static_cast<std::uint32_t>(below(3))));
        some.add(all.back());
      } else if (below(50) == 0) {
        const auto target = static_cast<std::uint32_t>(below(3));
        const auto ends = [&](const loan& l) { return l.what.target == target; };
        std::erase_if(all, ends);
        some.end(ends);
      }
      const bool conflicts = std::any_of(all.begin(), all.end(), [&](const loan& l) {
        return start < l.start + l.bytes && l.start < start + bytes && (writes || l.what.writes);
      });
      ASSERT_EQ(some.conflict(start, bytes, writes) != nullptr, conflicts);
      ASSERT_EQ(some.empty(), all.empty());
    }
  }
}

}  // namespace
}  // namespace races
