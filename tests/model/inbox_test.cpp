// The inbox of matched messages (src/coll/protocol/matcher.cpp): a bounded queue of many senders and one receiver. No
// message is lost, doubled or overtaken, and a sender that finds the inbox full is woken.
#include "expect.hpp"
#include "wake_flag.hpp"

namespace oshen::model {
namespace {

constexpr int most_slots = 2;
constexpr int most_senders = 2;

constexpr int tail = 0, full = 1;
constexpr int turns = 2;  // the slots are used this often
constexpr int contents = turns + most_slots;
constexpr int bells = contents + most_slots;       // the wake flags of the senders
constexpr int answers = bells + 3 * most_senders;  // the replies to offers of the senders
constexpr int words = answers + most_senders;

wakeup wakeup_of(int sender) {
  const int first = bells + 3 * sender;
  return {.memory = first, .flags = first + 1, .wakes = first + 2};
}

enum class flaw : std::uint8_t { none, turn_without_swap, announced_before_filled, freed_before_read };

// mail::push. Returns false if the inbox is full; it has room when `awaited` has reached that value.
struct free_slot {
  int word;
  int value;
};
bool push(cpu& c, int slots, int content, flaw f, free_slot* awaited = nullptr) {
  int turn = c.load(tail);
  for (;;) {
    const int round = turn / slots * 2, seen = c.load(turns + turn % slots);
    if (seen < round) {
      if (awaited != nullptr) *awaited = {turns + turn % slots, round};
      return false;
    }
    if (seen == round) {
      if (f == flaw::turn_without_swap) {
        c.exchange(tail, turn + 1);
        break;
      }
      if (c.compare_swap(tail, turn, turn + 1)) break;
    }
    turn = c.load(tail);
  }
  const int slot = turn % slots, filled = turn / slots * 2 + 1;
  if (f == flaw::announced_before_filled) c.store(turns + slot, filled);
  c.store(contents + slot, content);
  c.store(turns + slot, filled);
  return true;
}

// mail::empty_inbox, for the eager slot of turn `head`; waits until the slot is filled.
int pop(cpu& c, int slots, int head, flaw f) {
  const int slot = head % slots, filled = head / slots * 2 + 1;
  c.until_equal(turns + slot, filled);
  if (f == flaw::freed_before_read) c.store(turns + slot, filled + 1);
  const int content = c.load(contents + slot);
  if (f != flaw::freed_before_read) c.store(turns + slot, filled + 1);
  return content;
}

// A message is its sender and its number: sender * 10 + 1, 2, ...
program eager(int slots, int senders, int messages, flaw f) {
  program p{.words = words, .notes = 0, .threads = {}};
  p.threads.push_back([=](cpu& c) {
    int last[most_senders] = {};
    for (int head = 0; head < senders * messages; ++head) {
      const int content = pop(c, slots, head, f), sender = content / 10;
      c.check(content % 10 == last[sender] + 1, "a message was lost, doubled or overtaken");
      last[sender] = content % 10;
    }
  });
  for (int sender = 0; sender < senders; ++sender)
    p.threads.push_back([=](cpu& c) {
      free_slot awaited;
      for (int number = 1; number <= messages; ++number)
        while (!push(c, slots, sender * 10 + number, f, &awaited)) c.until_least(awaited.word, awaited.value);
    });
  return p;
}

// ---- large messages are offered, and read in place --------------------------------------------------------------

// The sender reuses its memory after the receiver's reply.
program offers(int times, bool hasty) {
  constexpr int source = full;  // not needed here
  program p{.words = words, .notes = 0, .threads = {}};
  p.threads.push_back([=](cpu& c) {
    for (int head = 0; head < times; ++head) {
      const int number = pop(c, 2, head, flaw::none);
      if (hasty) c.store(answers, 1);
      c.check(c.load(source) == number * 100, "the bytes were changed before they were read");
      if (!hasty) c.store(answers, 1);
    }
  });
  p.threads.push_back([=](cpu& c) {
    for (int number = 1; number <= times; ++number) {
      c.store(source, number * 100);
      if (!push(c, 2, number, flaw::none)) c.check(false, "no slot although all were answered");
      c.until_equal(answers, 1);
      c.store(answers, 0);
    }
  });
  return p;
}

TEST(Inbox, OfferedBytesStayUntilTheyAreRead) {
  expect_sound(offers(4, false));
  expect_broken(offers(2, true), memory_order::sequential, "changed before");
}

// ---- a sender that finds the inbox full sleeps ------------------------------------------------------------------

enum class request_flag : std::uint8_t {
  counted,  // `full` counts the senders that wait
  fenced,   // the same where PEs share CPUs: both sides fence, and there is no remote barrier
  late,     // broken: the sender fences, the receiver does not
  flagged,  // broken: senders set `full` when they find no slot, the receiver clears it when it wakes them
  silent    // broken: senders set nothing
};

program full_inbox(int senders, int messages, request_flag how) {
  program p{.words = words, .notes = 0, .threads = {}};
  p.threads.push_back([=](cpu& c) {
    for (int head = 0; head < senders * messages; ++head) {
      pop(c, 1, head, flaw::none);
      if (how == request_flag::fenced) c.fence();
      if (how == request_flag::silent || c.load(full) == 0) continue;
      if (how == request_flag::flagged) c.store(full, 0);
      for (int sender = 0; sender < senders; ++sender) wake(c, wakeup_of(sender));
    }
  });
  for (int sender = 0; sender < senders; ++sender)
    p.threads.push_back([=](cpu& c) {
      const auto posted = [&] {
        if (push(c, 1, 1, flaw::none)) return true;
        if (how == request_flag::flagged) c.store(full, 1);
        return false;
      };
      for (int number = 1; number <= messages; ++number) {
        if (posted()) continue;
        const bool counts = how != request_flag::flagged && how != request_flag::silent;
        if (counts) c.add(full, 1);
        wait_for(c, wakeup_of(sender), posted, how == request_flag::counted || !counts);
        if (counts) c.add(full, -1);
      }
    });
  return p;
}

TEST(Inbox, WakesSendersThatFoundItFull) {
  expect_sound(full_inbox(1, 3, request_flag::counted));
  expect_sound(full_inbox(2, 1, request_flag::counted));
  expect_sound(full_inbox(1, 3, request_flag::fenced));
  expect_sound(full_inbox(2, 1, request_flag::fenced));
  expect_broken(full_inbox(1, 3, request_flag::late), memory_order::buffered, "stuck");
  expect_broken(full_inbox(1, 2, request_flag::silent), memory_order::sequential, "stuck");
  // The receiver clears the flag that the first look set. The second look finds no slot either. The slot becomes free
  // while the flag is clear, so the receiver wakes no thread; then the sender sets the flag again and sleeps.
  expect_broken(full_inbox(1, 3, request_flag::flagged), memory_order::sequential, "stuck");
}

TEST(Inbox, LosesNothing) {
  expect_sound(eager(2, 2, 1, flaw::none));
  expect_sound(eager(1, 2, 1, flaw::none));
  expect_sound(eager(2, 1, 5, flaw::none));
  expect_sound(eager(2, 2, 2, flaw::none));
}

TEST(Inbox, NeedsItsParts) {
  expect_broken(eager(2, 2, 1, flaw::turn_without_swap));
  expect_broken(eager(2, 2, 1, flaw::announced_before_filled), memory_order::sequential, "lost, doubled");
  expect_broken(eager(1, 1, 2, flaw::freed_before_read), memory_order::sequential, "lost, doubled");
}

}  // namespace
}  // namespace oshen::model
