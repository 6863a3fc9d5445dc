// Sleeping and waking (src/wait/wake.*, docs/design/waiting.md): no wake-up is lost, although writers execute no fence.
// The sleeps of the models have no limit, so that a lost wake-up is a deadlock.
#include "expect.hpp"
#include "wake_flag.hpp"

namespace oshen::model {
namespace {

constexpr wakeup own{.memory = 0, .flags = 1, .wakes = 2};
constexpr int data = 3;

enum class flaw : std::uint8_t {
  none,
  no_remote_barrier,
  no_second_look,
  wake_without_count,     // a fault of any wake flag
  watches_another_word,   // a fault of the comparison
  sleeps_on_a_newer_ring  // a fault of repeated sleeps
};

void wait_for_data(cpu& c, int at, flaw f) {
  sleeper s(own, f == flaw::watches_another_word ? at + 1 : at);
  while (c.load(at) == 0) {
    s.announce(c, f != flaw::no_remote_barrier);
    if (f != flaw::no_second_look && c.load(at) != 0) return;
    s.sleep(c);
  }
}

void write(cpu& c, int at, flaw f) {
  c.store(at, 1);
  if (f != flaw::wake_without_count) {
    wake(c, own, at);
  } else if (c.load(own.memory) != nothing && c.exchange(own.memory, nothing) != nothing) {
    c.wake(own.wakes);
  }
}

// One PE waits for one value after another; each has its own writer.
program waits_for(int writers, flaw f) {
  program p{.words = data + writers, .notes = 0, .threads = {}};
  p.threads.push_back([=](cpu& c) {
    for (int i = 0; i < writers; ++i) wait_for_data(c, data + i, f);
  });
  for (int i = 0; i < writers; ++i) p.threads.push_back([=](cpu& c) { write(c, data + i, f); });
  return p;
}

TEST(WakeFlag, LosesNoWakeUp) {
  expect_sound(waits_for(1, flaw::none));
  expect_sound(waits_for(2, flaw::none));
}

TEST(WakeFlag, NeedsItsParts) {
  expect_broken(waits_for(1, flaw::no_remote_barrier), memory_order::buffered, "stuck");
  EXPECT_EQ(explore(waits_for(1, flaw::no_remote_barrier), memory_order::sequential).trouble, "");
  expect_broken(waits_for(1, flaw::no_second_look), memory_order::sequential, "stuck");
  expect_broken(waits_for(1, flaw::wake_without_count), memory_order::sequential, "stuck");
  expect_broken(waits_for(1, flaw::watches_another_word), memory_order::sequential, "stuck");
}

// ---- more PEs than CPUs: the writer of a flag executes a fence, a sleeper interrupts no CPU ------------------------

program waits_for_flag(bool writer_fences) {
  program p{.words = data + 1, .notes = 0, .threads = {}};
  p.threads.push_back([](cpu& c) {
    sleeper s(own);
    while (c.load(data) == 0) {
      s.announce(c, false);
      if (c.load(data) == 0) s.sleep(c);
    }
  });
  p.threads.push_back([writer_fences](cpu& c) {
    c.store(data, 1);
    if (writer_fences) c.fence();
    wake(c, own);
  });
  return p;
}

TEST(WakeFlag, TakesAFenceOfTheWriterForItsOwn) {
  expect_sound(waits_for_flag(true));
  expect_broken(waits_for_flag(false), memory_order::buffered, "stuck");
}

// One word says whether any PE sleeps, so that a writer of hundreds of flags need not read each wake flag.
constexpr int asleep = data + 1;
enum class hasty : std::uint8_t { nobody, writer_does_not_fence, sleeper_counts_late };

program waits_for_flag_of_many(hasty who) {
  program p{.words = data + 2, .notes = 0, .threads = {}};
  p.threads.push_back([who](cpu& c) {
    sleeper s(own);
    bool counted = false;
    while (c.load(data) == 0) {
      if (!counted && who != hasty::sleeper_counts_late) c.add(asleep, 1);
      s.announce(c, false);
      const bool ready = c.load(data) != 0;
      if (!counted && who == hasty::sleeper_counts_late) c.add(asleep, 1);
      counted = true;
      if (!ready) s.sleep(c);
    }
    if (counted) c.add(asleep, -1);
  });
  p.threads.push_back([who](cpu& c) {
    c.store(data, 1);
    if (who != hasty::writer_does_not_fence) c.fence();
    if (c.load(asleep) != 0) wake(c, own);
  });
  return p;
}

TEST(WakeFlag, CountsTheSleepersOfANode) {
  expect_sound(waits_for_flag_of_many(hasty::nobody));
  expect_broken(waits_for_flag_of_many(hasty::writer_does_not_fence), memory_order::buffered, "stuck");
  expect_broken(waits_for_flag_of_many(hasty::sleeper_counts_late), memory_order::sequential, "stuck");
}

// ---- waiters that a write does not concern ---------------------------------------------------------------------

// A writer that stores beside the watched variable, or raises a flag, wakes no thread.
program writes_beside(bool compares) {
  program p{.words = data + 2, .notes = 0, .threads = {}};
  p.threads.push_back([](cpu& c) {
    sleeper s(own, data);
    s.announce(c);
  });
  p.threads.push_back([compares](cpu& c) {
    c.store(data + 1, 1);
    if (compares)
      wake(c, own, data + 1);
    else if (c.load(own.memory) != nothing)
      take_and_wake(c, own.memory, own);
    wake(c, own);
    c.check(c.load(own.wakes) == 0, "a ring for nobody");
  });
  return p;
}

TEST(WakeFlag, IsSilentForUnwatchedWrites) {
  expect_sound(writes_beside(true));
  expect_broken(writes_beside(false), memory_order::sequential, "a ring for nobody");
}

// ---- sleeps with a limit -----------------------------------------------------------------------------------------

// The first sleep ends by a time limit. An announcement that is still valid is not repeated.
program sleeps_twice(flaw f) {
  program p{.words = data + 2, .notes = 0, .threads = {}};
  p.threads.push_back([f](cpu& c) {
    sleeper s(own, data);
    while (c.load(data) == 0) {
      s.announce(c);
      if (c.load(data) != 0) return;
      if (f == flaw::sleeps_on_a_newer_ring)
        c.sleep(own.wakes, c.load(own.wakes));
      else
        s.sleep(c);
    }
  });
  p.threads.push_back([](cpu& c) { c.wake(own.wakes); });
  p.threads.push_back([](cpu& c) { write(c, data, flaw::none); });
  return p;
}

TEST(WakeFlag, StandsUntilAWakeUp) {
  expect_sound(sleeps_twice(flaw::none));
  expect_broken(sleeps_twice(flaw::sleeps_on_a_newer_ring), memory_order::sequential, "stuck");
}

// ---- two threads of one PE -----------------------------------------------------------------------------------------

constexpr int sleepers = data + 2, busy = data + 3;

enum class careless : std::uint8_t { nobody, who_announces, who_leaves };

template <class Change>
void locked(cpu& c, Change change) {
  do c.until_equal(busy, 0);
  while (!c.compare_swap(busy, 0, 1));
  change();
  c.exchange(busy, 0);
}

// sleeper::publish() and withdraw(), when other threads may sleep too.
void wait_beside_another(cpu& c, int at, careless who) {
  int wakes_seen = 0;
  bool counted = false;
  while (c.load(at) == 0) {
    wakes_seen = c.load(own.wakes);
    locked(c, [&] {
      const bool alone = c.load(sleepers) == (counted ? 1 : 0);
      const int said = alone || who == careless::who_announces ? nothing : c.load(own.memory);
      c.exchange(own.memory, join(said, watch_of(at)));
      if (!counted) c.add(sleepers, 1);
      counted = true;
    });
    c.remote_barrier();
    if (c.load(at) != 0) break;
    c.sleep(own.wakes, wakes_seen);
  }
  if (!counted) return;
  locked(c, [&] {
    const bool last = c.add(sleepers, -1) == 1;
    if (last || who == careless::who_leaves) c.exchange(own.memory, nothing);
  });
}

program two_threads(careless who) {
  program p{.words = data + 4, .notes = 0, .threads = {}};
  for (int i = 0; i < 2; ++i) p.threads.push_back([i, who](cpu& c) { wait_beside_another(c, data + i, who); });
  p.threads.push_back([](cpu& c) {
    write(c, data, flaw::none);
    write(c, data + 1, flaw::none);
  });
  return p;
}

TEST(WakeFlag, WakesTwoThreadsOfAPe) {
  expect_sound(two_threads(careless::nobody));
  expect_broken(two_threads(careless::who_announces), memory_order::sequential, "stuck");
  expect_broken(two_threads(careless::who_leaves), memory_order::sequential, "stuck");
}

// ---- non-blocking collectives in a wait (coll/nonblocking/engine.cpp, backoff::served_others) ----------------------

constexpr int entered = data, done = data + 1, lock = data + 2, open = data + 3;

// One pass over the operation; the caller holds the lock. Returns true if the operation advanced.
bool go_on(cpu& c) {
  if (c.load(done) != 0 || c.load(entered) == 0) return false;
  c.store(done, 1);
  wake(c, own);
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

void enter(cpu& c) {
  c.store(entered, 1);
  wake(c, own);
}

// A thread waits for an operation, another tests it once, and a peer enters.
program test_and_wait(bool thorough) {
  program p{.words = data + 3, .notes = 0, .threads = {}};
  p.threads.push_back([thorough](cpu& c) {
    sleeper s(own);
    while (c.load(done) == 0) {
      if (advance(c, false)) continue;
      s.announce(c);
      if (c.load(done) != 0 || advance(c, thorough)) continue;
      s.sleep(c);
    }
  });
  p.threads.push_back([](cpu& c) { advance(c, false); });
  p.threads.push_back([](cpu& c) { enter(c); });
  return p;
}

TEST(Progress, AThreadThatSleepsHasLookedBehindTheLock) {
  expect_sound(test_and_wait(true));
  expect_broken(test_and_wait(false), memory_order::sequential, "stuck");
}

// A thread sleeps until a word of the program changes. Another thread starts an operation and does not wait; a peer
// enters. The sleeper must advance the operation.
enum class deaf : std::uint8_t { no, starter_does_not_ring, sleeper_does_not_look };

program starts_beside_a_sleeper(deaf d) {
  program p{.words = data + 5, .notes = 0, .threads = {}};
  p.threads.push_back([d](cpu& c) {
    for (;;) {
      if (c.load(done) != 0) return;
      const int wakes_seen = c.load(own.wakes);
      const bool wide = c.load(open) != 0;
      c.exchange(own.memory, watch_of(data + 4));
      c.exchange(own.flags, wide ? everything : nothing);
      c.remote_barrier();
      if (wide && go_on(c)) return;
      if (!wide && d != deaf::sleeper_does_not_look && c.load(open) != 0) continue;
      c.sleep(own.wakes, wakes_seen);
    }
  });
  p.threads.push_back([d](cpu& c) {
    c.add(open, 1);
    if (d == deaf::starter_does_not_ring) return;
    if (c.load(own.flags) != nothing || c.load(own.memory) != nothing) {
      c.exchange(own.flags, nothing);
      take_and_wake(c, own.memory, own);
    }
  });
  p.threads.push_back([](cpu& c) { enter(c); });
  return p;
}

TEST(Progress, AThreadThatSleepsHearsOfNewWork) {
  expect_sound(starts_beside_a_sleeper(deaf::no));
  expect_broken(starts_beside_a_sleeper(deaf::starter_does_not_ring), memory_order::sequential, "stuck");
  expect_broken(starts_beside_a_sleeper(deaf::sleeper_does_not_look), memory_order::sequential, "stuck");
}

}  // namespace
}  // namespace oshen::model
