// Sleeping and waking (src/world/idle.*, docs/design/waiting.md): no wake-up is lost, though writers have no fence. The
// sleeps of the models have no limit, so a lost one is a deadlock.
#include "bell.hpp"
#include "expect.hpp"

namespace oshen::model {
namespace {

constexpr bell own{.asleep = 0, .rings = 1};
constexpr int data = 2;

enum class flaw : std::uint8_t { none, no_remote_barrier, no_second_look, wake_without_count };

void wait_for_data(cpu& c, int at, flaw f) {
  while (c.load(at) == 0) {
    const int rings = announce_sleep(c, own, f != flaw::no_remote_barrier);
    if (f != flaw::no_second_look && c.load(at) != 0) return;
    c.sleep(own.rings, rings);
  }
}

void write(cpu& c, int at, flaw f) {
  c.store(at, 1);
  if (f != flaw::wake_without_count) {
    ring(c, own);
  } else if (c.load(own.asleep) != 0 && c.exchange(own.asleep, 0) != 0) {
    c.wake(own.rings);
  }
}

// One PE waits for one datum after the other; each has a writer of its own.
program waits_for(int writers, flaw f) {
  program p{.words = data + writers, .notes = 0, .threads = {}};
  p.threads.push_back([=](cpu& c) {
    for (int i = 0; i < writers; ++i) wait_for_data(c, data + i, f);
  });
  for (int i = 0; i < writers; ++i) p.threads.push_back([=](cpu& c) { write(c, data + i, f); });
  return p;
}

TEST(Doorbell, LosesNoWakeUp) {
  expect_sound(waits_for(1, flaw::none));
  expect_sound(waits_for(2, flaw::none));
}

// Two threads of a PE share the bell; one writer serves both, one after the other.
TEST(Doorbell, WakesTwoThreadsOfAPe) {
  program p{.words = data + 2, .notes = 0, .threads = {}};
  for (int i = 0; i < 2; ++i) p.threads.push_back([i](cpu& c) { wait_for_data(c, data + i, flaw::none); });
  p.threads.push_back([](cpu& c) {
    write(c, data, flaw::none);
    write(c, data + 1, flaw::none);
  });
  expect_sound(p);
}

TEST(Doorbell, NeedsItsParts) {
  expect_broken(waits_for(1, flaw::no_remote_barrier), memory_order::buffered, "stuck");
  EXPECT_EQ(explore(waits_for(1, flaw::no_remote_barrier), memory_order::sequential).trouble, "");
  expect_broken(waits_for(1, flaw::no_second_look), memory_order::sequential, "stuck");
  expect_broken(waits_for(1, flaw::wake_without_count), memory_order::sequential, "stuck");
}

// ---- non-blocking collectives in a wait (coll/async/engine.cpp, patience::served_others) ----------------------

constexpr int entered = data, done = data + 1, lock = data + 2;

// One pass over the operation; the caller has the lock. True if it went on.
bool go_on(cpu& c) {
  if (c.load(done) != 0 || c.load(entered) == 0) return false;
  c.store(done, 1);
  ring(c, own);
  return true;
}
void take_lock(cpu& c) {
  do c.until_equal(lock, 0);
  while (!c.compare_swap(lock, 0, 1));
}
bool advance(cpu& c, bool thorough) {
  if (thorough)
    take_lock(c);
  else if (!c.compare_swap(lock, 0, 1))
    return false;
  const bool moved = go_on(c);
  c.exchange(lock, 0);
  return moved;
}

// A thread waits for an operation, another tests it once, and a peer enters.
program test_and_wait(bool thorough) {
  program p{.words = data + 3, .notes = 0, .threads = {}};
  p.threads.push_back([thorough](cpu& c) {
    while (c.load(done) == 0) {
      if (advance(c, false)) continue;
      const int rings = announce_sleep(c, own);
      if (c.load(done) != 0 || advance(c, thorough)) continue;
      c.sleep(own.rings, rings);
    }
  });
  p.threads.push_back([](cpu& c) { advance(c, false); });
  p.threads.push_back([](cpu& c) { write(c, entered, flaw::none); });
  return p;
}

TEST(Progress, AThreadThatSleepsHasLookedBehindTheLock) {
  expect_sound(test_and_wait(true));
  expect_broken(test_and_wait(false), memory_order::sequential, "stuck");
}

}  // namespace
}  // namespace oshen::model
