// Non-blocking collectives (src/coll/nonblocking/steps.cpp and proxy.cpp): no PE touches the buffers of a PE that has
// not started, or that has ended; in place too. The request flags themselves are modelled in lines_test.cpp.
#include "expect.hpp"

namespace oshen::model {
namespace {

enum class flaw : std::uint8_t {
  none,
  before_all_have_entered,  // the owner of a segment does not wait for `entered` of the others
  before_all_have_finished,
  whole_vectors,   // each PE combines all segments, although dest is source
  without_a_sync,  // the proxies do not meet before one of them writes
};

// Memory: the flags of each PE, then two elements of source and of dest on each. In place they are the same.
constexpr int pes = 2, elements = 2;
int entered(int pe) { return pe; }
int finished(int pe) { return pes + pe; }
int done(int pe) { return 2 * pes + pe; }
int told(int pe) { return 3 * pes + pe; }
int source(int pe, int i) { return 4 * pes + pe * elements + i; }
int dest(int pe, int i, bool in_place) { return source(in_place ? pe : pes + pe, i); }
constexpr int words = 4 * pes + 2 * pes * elements;

constexpr int own_value = 100;  // what a program stores in its buffers before and after
int given(int pe, int i) { return 1 + pe + 10 * i; }
int sum_of(int i) { return given(0, i) + given(1, i); }

// Notes: whether a PE is between its start and its end.
void write_to(cpu& c, int pe, int at, int value) {
  c.store(at, value);
  c.check(c.noted(pe) != 0, "the dest of a PE that is not in the collective");
}

void end_here(cpu& c, int me, bool in_place) {
  for (int i = 0; i < elements; ++i) c.check(c.load(dest(me, i, in_place)) == sum_of(i), "another result");
  c.note(me, 0);
  for (int i = 0; i < elements; ++i) c.store(source(me, i), own_value);
}

// A reduction on one node: enter, all entered, combine a segment, finish, all finished.
program reduction(bool in_place, flaw f) {
  program p{.words = words, .notes = pes, .threads = {}};
  for (int me = 0; me < pes; ++me)
    p.threads.push_back([=](cpu& c) {
      for (int i = 0; i < elements; ++i) c.store(source(me, i), given(me, i));
      c.note(me, 1);
      c.store(entered(me), 1);
      if (f != flaw::before_all_have_entered) c.until_equal(entered(1 - me), 1);
      for (int i = 0; i < elements; ++i) {
        if (f != flaw::whole_vectors && i != me) continue;
        const int sum = c.load(source(0, i)) + c.load(source(1, i));
        for (int pe = 0; pe < pes; ++pe) write_to(c, pe, dest(pe, i, in_place), sum);
      }
      c.store(finished(me), 1);
      if (f != flaw::before_all_have_finished) c.until_equal(finished(1 - me), 1);
      end_here(c, me, in_place);
    });
  return p;
}

TEST(NonBlockingReduction, TouchesBuffersBetweenStartAndEnd) {
  for (const bool in_place : {false, true}) {
    expect_sound(reduction(in_place, flaw::none));
    expect_broken(reduction(in_place, flaw::before_all_have_entered));
    expect_broken(reduction(in_place, flaw::before_all_have_finished));
  }
  expect_sound(reduction(false, flaw::whole_vectors));  // the same values twice
  expect_broken(reduction(true, flaw::whole_vectors));
}

// A broadcast that the leaf reads from the root: the root ends when the leaf has finished.
program pulled_broadcast(flaw f) {
  program p{.words = words, .notes = pes, .threads = {}};
  p.threads.push_back([=](cpu& c) {
    c.store(source(0, 0), given(0, 0));
    c.store(entered(0), 1);
    if (f != flaw::before_all_have_finished) c.until_equal(finished(1), 1);
    c.store(source(0, 0), own_value);
  });
  p.threads.push_back([=](cpu& c) {
    if (f != flaw::before_all_have_entered) c.until_equal(entered(0), 1);
    const int value = c.load(source(0, 0));
    c.store(finished(1), 1);
    c.check(value == given(0, 0), "another result");
  });
  return p;
}

TEST(NonBlockingBroadcast, ReadsTheRootBetweenItsStartAndEnd) {
  expect_sound(pulled_broadcast(flaw::none));
  expect_broken(pulled_broadcast(flaw::before_all_have_entered));
  expect_broken(pulled_broadcast(flaw::before_all_have_finished));
}

// Between nodes a proxy of each PE calls the blocking form, whose root writes into the dest of the others. A proxy
// begins when its PE has started, and meets the others first.
program proxied_broadcast(flaw f) {
  program p{.words = words, .notes = pes, .threads = {}};
  for (int me = 0; me < pes; ++me) {
    p.threads.push_back([=](cpu& c) {  // the program
      if (me == 1) c.store(dest(me, 0, false), own_value);
      c.note(me, 1);
      c.store(entered(me), 1);
      c.until_equal(done(me), 1);
      if (me == 1) c.check(c.load(dest(me, 0, false)) == given(0, 0), "another result");
    });
    p.threads.push_back([=](cpu& c) {  // its proxy
      c.until_equal(entered(me), 1);
      if (f != flaw::without_a_sync) {
        c.store(finished(me), 1);
        c.until_equal(finished(1 - me), 1);
      }
      if (me == 0) {
        write_to(c, 1, dest(1, 0, false), given(0, 0));
        c.store(told(1), 1);
      } else {
        c.until_equal(told(me), 1);
      }
      c.store(done(me), 1);
    });
  }
  return p;
}

TEST(NonBlockingBroadcast, WritesNoDestBeforeItsPeHasStarted) {
  expect_sound(proxied_broadcast(flaw::none));
  expect_broken(proxied_broadcast(flaw::without_a_sync));
}

}  // namespace
}  // namespace oshen::model
