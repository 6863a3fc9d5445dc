// Lines that are used again without a reset: the flag slots of collectives (src/coll/call/sequence.cpp, a
// sync or a collective that needs all PEs within `lines` collectives) and the request flags of non-blocking ones
// (src/coll/nonblocking/queue.cpp, `ended`). The library has 16; two or three show the same.
#include "expect.hpp"

namespace oshen::model {
namespace {

// ---- flag slots ----------------------------------------------------------------------------------------------

constexpr int most_lines = 3;
constexpr int most_pes = 3;

// Memory: the count of syncs of each PE, then the lines of each PE. A line has a number and a payload.
int synced(int pe) { return pe; }
int number_of(int pe, int line) { return most_pes + (pe * most_lines + line) * 2; }
int payload_of(int pe, int line) { return number_of(pe, line) + 1; }
constexpr int words = most_pes + most_pes * most_lines * 2;

// Every `gather_every`th collective, from the first on, needs data of all PEs; the others are broadcasts. A PE syncs
// before it uses a line again if it does not know that all PEs have ended the first use.
struct shape {
  int pes;
  int lines;
  int collectives;
  int reuses_after;  // `lines`, or a number that is wrong
  bool roots_rotate = false;
  int gather_every = 0;
};

void meet(cpu& c, const shape& s, int me, int present) {
  c.store(synced(me), present);
  for (int i = 1; i < s.pes; ++i) c.until_least(synced((me + i) % s.pes), present);
}

void post(cpu& c, const shape& s, int me, int number) {
  c.store(payload_of(me, number % s.lines), number * 10);
  c.store(number_of(me, number % s.lines), number);
}

void take(cpu& c, const shape& s, int from, int number) {
  c.until_equal(number_of(from, number % s.lines), number);
  c.check(c.load(payload_of(from, number % s.lines)) == number * 10, "a payload of another collective");
}

void broadcast(cpu& c, const shape& s, int me, int number) {
  const int root = s.roots_rotate ? number % s.pes : 0;
  if (me == root)
    post(c, s, me, number);
  else
    take(c, s, root, number);
}

void gather(cpu& c, const shape& s, int me, int number) {
  post(c, s, me, number);
  for (int i = 1; i < s.pes; ++i) take(c, s, (me + i) % s.pes, number);
}

program flag_slots(const shape& s) {
  program p{.words = words, .notes = 0, .threads = {}};
  for (int me = 0; me < s.pes; ++me)
    p.threads.push_back([=](cpu& c) {
      int ended_by_all = 0;
      for (int number = 1; number <= s.collectives; ++number) {
        if (number - ended_by_all > s.reuses_after) {
          meet(c, s, me, number);
          ended_by_all = number - 1;
        }
        if (s.gather_every == 0 || (number - 1) % s.gather_every != 0) {
          broadcast(c, s, me, number);
        } else {
          gather(c, s, me, number);
          ended_by_all = number - 1;
        }
      }
    });
  return p;
}

TEST(FlagSlots, AreNotWrittenOverTooEarly) {
  expect_sound(flag_slots({.pes = 2, .lines = 2, .collectives = 7, .reuses_after = 2}));
  expect_sound(flag_slots({.pes = 3, .lines = 3, .collectives = 8, .reuses_after = 3}));
  expect_sound(flag_slots({.pes = 3, .lines = 2, .collectives = 5, .reuses_after = 2, .roots_rotate = true}));
}

TEST(FlagSlots, NeedASyncInEveryRound) {
  expect_broken(flag_slots({.pes = 2, .lines = 2, .collectives = 7, .reuses_after = 3}));
  expect_broken(flag_slots({.pes = 3, .lines = 3, .collectives = 8, .reuses_after = 4}));
}

TEST(FlagSlots, NeedNoSyncAfterACollectiveThatNeedsAllPes) {
  expect_sound(flag_slots({.pes = 2, .lines = 2, .collectives = 7, .reuses_after = 2, .gather_every = 1}));
  expect_sound(flag_slots({.pes = 2, .lines = 2, .collectives = 8, .reuses_after = 2, .gather_every = 3}));
  expect_sound(flag_slots({.pes = 3, .lines = 2, .collectives = 4, .reuses_after = 2, .gather_every = 2}));
  expect_broken(flag_slots({.pes = 2, .lines = 2, .collectives = 8, .reuses_after = 3, .gather_every = 4}));
}

// ---- request flags ------------------------------------------------------------------------------------------------

// PE 0 starts broadcasts and runs ahead as far as permitted. The other PEs have two under way and complete the later
// one first. `ended` of each PE has the place that its count of syncs has above.
struct habit {
  int pes;
  int lines;
  int operations;     // even
  int slack = 0;      // broken if not 0: PE 0 starts this many operations too early
  bool gaps = false;  // broken: `ended` counts an operation although an earlier one is open
};

void hear(cpu& c, int number, int line) {
  c.until_equal(number_of(0, line), number);
  c.check(c.load(payload_of(0, line)) == number * 10, "a payload of another collective");
}

program request_flag_count(const habit& h) {
  program p{.words = words, .notes = 0, .threads = {}};
  p.threads.push_back([h](cpu& c) {
    for (int number = 1; number <= h.operations; ++number) {
      for (int pe = 1; pe < h.pes; ++pe) c.until_least(synced(pe), number - h.lines - h.slack);
      c.store(payload_of(0, number % h.lines), number * 10);
      c.store(number_of(0, number % h.lines), number);
    }
  });
  for (int me = 1; me < h.pes; ++me)
    p.threads.push_back([h, me](cpu& c) {
      for (int number = 1; number <= h.operations; number += 2) {
        hear(c, number + 1, (number + 1) % h.lines);
        if (h.gaps) c.store(synced(me), number + 1);
        hear(c, number, number % h.lines);
        c.store(synced(me), number + 1);
      }
    });
  return p;
}

TEST(RequestFlags, AreNotWrittenOverTooEarly) {
  expect_sound(request_flag_count({.pes = 2, .lines = 2, .operations = 8}));
  expect_sound(request_flag_count({.pes = 2, .lines = 3, .operations = 8}));
  expect_sound(request_flag_count({.pes = 3, .lines = 3, .operations = 6}));
}

TEST(RequestFlags, NeedTheCountOfWhatHasEndedWithoutGaps) {
  expect_broken(request_flag_count({.pes = 2, .lines = 3, .operations = 8, .slack = 1}));
  expect_broken(request_flag_count({.pes = 2, .lines = 2, .operations = 8, .gaps = true}));
}

}  // namespace
}  // namespace oshen::model
