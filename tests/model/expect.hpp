// Expectations of tests about models.
#pragma once

#include <gtest/gtest.h>

#include "explorer.hpp"

namespace oshen::model {

inline constexpr memory_order both_orders[] = {memory_order::sequential, memory_order::buffered};

inline void expect_sound(const program& p) {
  for (const memory_order order : both_orders) {
    const finding f = explore(p, order);
    EXPECT_EQ(f.trouble, "");
    ::testing::Test::RecordProperty(order == memory_order::buffered ? "states_tso" : "states_sc",
                                    static_cast<int>(f.states));
  }
}

// The explorer must find a run in which the program fails with `how`.
inline void expect_broken(const program& p, memory_order order, const std::string& how) {
  const finding f = explore(p, order);
  EXPECT_NE(f.trouble.find(how), std::string::npos) << "found instead: " << f.trouble;
}

// The same, with any failure.
inline void expect_broken(const program& p) { EXPECT_NE(explore(p, memory_order::sequential).trouble, ""); }

}  // namespace oshen::model
