// Turns at making progress (src/wait/progress.*, docs/design/progress.md): a waiter finds the data that arrived,
// whichever thread received it, and one thread always polls. The sleeps of the models have no limit, so a lost wake-up
// is a deadlock.
#include "expect.hpp"

namespace oshen::model {
namespace {

constexpr int come = 0, data = 1, seated = 2, bell = 3, readable = 4;  // `readable`: events in the descriptors
constexpr int asleep = 5, own = 6, drives = 7, due = 8, left_out = 9, words = 10;

enum class flaw : std::uint8_t {
  none,
  no_second_look,
  no_fence,
  no_bell,  // the three above are faults of the blocking poller
  aside_without_look,
  sleeper_does_not_call,
  leaver_does_not_call,  // these three are faults of the network's own thread
  ack_without_fence,
  ack_without_call,  // these two are faults of the thread that leaves an acknowledgement due
  unseen_without_fence,
  unseen_without_look,
  unseen_to_the_end,  // these three are faults of a thread that polls
  block_without_restoring
};

void arrive(cpu& c) {
  c.exchange(come, 1);
  c.add(readable, 1);
}

bool take_in(cpu& c) {
  if (c.exchange(come, 0) == 0) return false;
  c.add(readable, -1);
  c.store(data, 1);
  return true;
}

// ---- the blocking poller ---------------------------------------------------------------------------------------

void wait_in_seat(cpu& c, flaw f) {
  for (;;) {
    if (c.load(data) != 0 || take_in(c)) return;
    c.exchange(seated, 1);
    if (f != flaw::no_second_look && c.load(data) != 0) break;
    c.until_least(readable, 1);
    if (c.exchange(bell, 0) != 0) c.add(readable, -1);
    c.exchange(seated, 0);
    c.keep({});
  }
  c.exchange(seated, 0);
}

// Another thread of the PE, which makes progress for its own wait.
void take_in_beside(cpu& c, flaw f) {
  if (!take_in(c)) return;
  if (f != flaw::no_fence) c.fence();
  if (f != flaw::no_bell && c.load(seated) != 0 && c.exchange(bell, 1) == 0) c.add(readable, 1);
}

program sits_beside_another(flaw f) {
  return {.words = words,
          .notes = 0,
          .threads = {[f](cpu& c) { wait_in_seat(c, f); }, [f](cpu& c) { take_in_beside(c, f); },
                      [](cpu& c) { arrive(c); }}};
}

TEST(Turns, WhoIsSeatedHearsWhatAnotherTookIn) {
  expect_sound(sits_beside_another(flaw::none));
  expect_broken(sits_beside_another(flaw::no_second_look), memory_order::sequential, "stuck");
  expect_broken(sits_beside_another(flaw::no_bell), memory_order::sequential, "stuck");
  expect_broken(sits_beside_another(flaw::no_fence), memory_order::buffered, "stuck");
}

// ---- the network's own thread ------------------------------------------------------------------------------------

constexpr int serves = 0, aside = 1, far_aside = 2;

void call(cpu& c) {
  if (c.exchange(own, serves) != serves) c.wake(own);
}

// The thread looks at the counter of progress. If no other thread has made progress since its last look, it sleeps
// until it is called.
void serve(cpu& c, flaw f) {
  for (int seen = 0;;) {
    const int now = c.load(drives);
    const bool driven = now != seen, has_seat = c.load(seated) != 0;
    if (!has_seat && (!driven || c.load(asleep) != 0)) break;
    seen = now;
    const int how = driven ? aside : far_aside;
    c.exchange(own, how);
    const bool still = f == flaw::aside_without_look || c.load(seated) != 0 || (driven && c.load(asleep) == 0);
    if (still) c.sleep(own, how);
    c.exchange(own, serves);
  }
  c.until_least(come, 1);
  take_in(c);
}

// Sleeps at the wake flag; the thread that receives the data wakes it.
void sleep_at_wake_flag(cpu& c, flaw f) {
  c.add(asleep, 1);
  if (f != flaw::sleeper_does_not_call && c.load(own) != serves && c.load(seated) == 0) call(c);
  c.until_equal(data, 1);
}

// A thread that has been the blocking poller for another event, with or without making progress before.
void leave_seat(cpu& c, bool drove, flaw f) {
  if (drove) c.add(drives, 1);
  c.exchange(seated, 1);
  c.add(drives, 1);
  c.exchange(seated, 0);
  const int state = c.load(own);
  if (f == flaw::leaver_does_not_call) return;
  if (state == far_aside || (state == aside && c.load(asleep) != 0)) call(c);
}

program needs_progress(bool drove, flaw f) {
  return {.words = words,
          .notes = 0,
          .threads = {[=](cpu& c) { serve(c, f); }, [=](cpu& c) { sleep_at_wake_flag(c, f); },
                      [=](cpu& c) { leave_seat(c, drove, f); }, [](cpu& c) { arrive(c); }}};
}

TEST(Turns, AnotherThreadMakesProgressForASleeper) {
  for (const bool drove : {false, true}) expect_sound(needs_progress(drove, flaw::none));
}

TEST(Turns, NeedTheirParts) {
  expect_broken(needs_progress(true, flaw::aside_without_look), memory_order::sequential, "stuck");
  expect_broken(needs_progress(true, flaw::sleeper_does_not_call), memory_order::sequential, "stuck");
  expect_broken(needs_progress(false, flaw::leaver_does_not_call), memory_order::sequential, "stuck");
}

// ---- an acknowledgement that is left due -------------------------------------------------------------------------

constexpr int blocks = 3;

// The network's thread blocks in the descriptor until it is called. Then it sends what is due.
void block_until_called(cpu& c) {
  c.exchange(own, blocks);
  if (c.load(due) == 0) c.until_least(readable, 1);
  c.exchange(own, serves);
  c.check(c.load(due) != 0, "called without reason");
}

// A thread of the program receives a signal, which makes nothing readable any more, and computes from now on.
void leave_due(cpu& c, flaw f) {
  c.store(due, 1);
  if (f != flaw::ack_without_fence) c.fence();
  if (f != flaw::ack_without_call && c.load(own) == blocks) c.add(readable, 1);
}

program leaves_an_acknowledgement(flaw f) {
  return {
      .words = words, .notes = 0, .threads = {[](cpu& c) { block_until_called(c); }, [f](cpu& c) { leave_due(c, f); }}};
}

TEST(Turns, AnAcknowledgementThatIsLeftIsSent) {
  expect_sound(leaves_an_acknowledgement(flaw::none));
  expect_broken(leaves_an_acknowledgement(flaw::ack_without_call), memory_order::sequential, "stuck");
  expect_broken(leaves_an_acknowledgement(flaw::ack_without_fence), memory_order::buffered, "stuck");
}

// ---- arrivals that a polling thread leaves out ------------------------------------------------------------------

// The descriptor becomes readable unless the connection is left out; all that has come shows when it is watched again.
void arrive_at_connection(cpu& c) {
  c.exchange(come, 1);
  if (c.load(left_out) == 0) c.exchange(readable, 1);
}

void watch_again(cpu& c) {
  c.exchange(left_out, 0);
  if (c.load(come) != 0) c.exchange(readable, 1);
}

// The network's thread blocks, and takes in what has come.
void block_with_all_in_sight(cpu& c, flaw f) {
  c.exchange(own, blocks);
  if (f != flaw::block_without_restoring && c.load(left_out) != 0) watch_again(c);
  c.until_least(readable, 1);
  c.check(c.exchange(come, 0) != 0, "called without reason");
}

// A thread of the program polls in a wait for something else, and computes from then on.
void poll_unseen(cpu& c, flaw f) {
  c.store(left_out, 1);
  if (f != flaw::unseen_without_fence) c.fence();
  const bool is_unseen = f != flaw::unseen_without_look && c.load(own) == blocks;
  if (is_unseen && f != flaw::unseen_to_the_end) watch_again(c);
}

program polls_unseen(flaw f) {
  return {.words = words,
          .notes = 0,
          .threads = {[f](cpu& c) { block_with_all_in_sight(c, f); }, [f](cpu& c) { poll_unseen(c, f); },
                      [](cpu& c) { arrive_at_connection(c); }}};
}

TEST(Turns, WhatAPollingThreadLeavesOutIsSeenAfterIt) {
  expect_sound(polls_unseen(flaw::none));
  expect_broken(polls_unseen(flaw::unseen_without_look), memory_order::sequential, "stuck");
  expect_broken(polls_unseen(flaw::unseen_to_the_end), memory_order::sequential, "stuck");
  expect_broken(polls_unseen(flaw::block_without_restoring), memory_order::sequential, "stuck");
  expect_broken(polls_unseen(flaw::unseen_without_fence), memory_order::buffered, "stuck");
}

}  // namespace
}  // namespace oshen::model
