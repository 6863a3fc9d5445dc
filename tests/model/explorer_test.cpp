// The explorer itself, with textbook examples.
#include "expect.hpp"

namespace oshen::model {
namespace {

// Two threads store, and then load the variable that the other one stores.
program store_then_look(bool with_fence) {
  program p{.words = 4, .notes = 0, .threads = {}};
  for (int me = 0; me < 2; ++me)
    p.threads.push_back([me, with_fence](cpu& c) {
      c.store(me, 1);
      if (with_fence) c.fence();
      c.exchange(2 + me, c.load(1 - me) + 1);
      if (c.load(3 - me) == 1) c.check(c.load(2 + me) != 1, "neither has seen the other");
    });
  return p;
}

TEST(Explorer, ALoadMayOvertakeAStoreOnlyWithBuffers) {
  EXPECT_EQ(explore(store_then_look(false), memory_order::sequential).trouble, "");
  expect_broken(store_then_look(false), memory_order::buffered, "neither has seen the other");
  expect_sound(store_then_look(true));
}

// Stores become visible in their order: data is visible before its flag.
TEST(Explorer, StoresDoNotOvertakeEachOther) {
  program p{.words = 2, .notes = 0, .threads = {}};
  p.threads.push_back([](cpu& c) {
    c.store(0, 7);
    c.store(1, 1);
  });
  p.threads.push_back([](cpu& c) {
    c.until_equal(1, 1);
    c.check(c.load(0) == 7, "the flag came before the data");
  });
  expect_sound(p);
}

program two_adders(bool atomic) {
  program p{.words = 2, .notes = 0, .threads = {}};
  for (int me = 0; me < 2; ++me)
    p.threads.push_back([atomic](cpu& c) {
      if (atomic)
        c.add(0, 1);
      else
        c.exchange(0, c.load(0) + 1);
      if (c.add(1, 1) == 1) c.check(c.load(0) == 2, "an addition was lost");
    });
  return p;
}

TEST(Explorer, FindsLostUpdates) {
  expect_sound(two_adders(true));
  expect_broken(two_adders(false), memory_order::sequential, "an addition was lost");
}

TEST(Explorer, FindsDeadlocks) {
  program p{.words = 1, .notes = 0, .threads = {}};
  p.threads.push_back([](cpu& c) { c.until_equal(0, 1); });
  p.threads.push_back([](cpu& c) { c.add(0, 2); });
  expect_broken(p, memory_order::sequential, "stuck");
}

// Two threads of two steps each reach as many states as there are pairs of positions, which are nine.
TEST(Explorer, VisitsEveryStateOnce) {
  program p{.words = 2, .notes = 0, .threads = {}};
  for (int me = 0; me < 2; ++me)
    p.threads.push_back([me](cpu& c) {
      c.store(me, 1);
      c.store(me, 2);
    });
  EXPECT_EQ(explore(p, memory_order::sequential).states, 9u);
}

}  // namespace
}  // namespace oshen::model
