// The syncs of src/coll/algorithms/sync, several in a row: no PE leaves before all have entered, every PE leaves, and
// each store before a sync is visible after it.
#include "expect.hpp"

namespace oshen::model {
namespace {

// Memory: the value that each PE has stored before the sync, and the flags.
constexpr int most_pes = 4;
constexpr int stored = 0;
constexpr int flags = most_pes;

using sync = void (*)(cpu& c, int me, int n, int present);

program several(sync s, int n, int times) {
  program p{.words = flags + 24, .notes = 0, .threads = {}};
  for (int me = 0; me < n; ++me)
    p.threads.push_back([=](cpu& c) {
      for (int present = 1; present <= times; ++present) {
        c.store(stored + me, present);
        s(c, me, n, present);
        for (int i = 1; i < n; ++i)
          c.check(c.is_least(stored + (me + i) % n, present), "has left before all had entered");
      }
    });
  return p;
}

// ---- the algorithm shared-line ------------------------------------------------------------------------------

void shared_line(cpu& c, int me, int n, int present) {
  c.store(flags + me, present);
  for (int i = 1; i < n; ++i) c.until_least(flags + (me + i) % n, present);
}

// Broken: waits for "equal", and so does not recognise a PE that is one sync ahead.
void shared_line_equal(cpu& c, int me, int n, int present) {
  c.store(flags + me, present);
  for (int i = 1; i < n; ++i) c.until_equal(flags + (me + i) % n, present);
}

TEST(Barriers, SharedLine) {
  expect_sound(several(shared_line, 2, 3));
  expect_sound(several(shared_line, 3, 2));
  expect_sound(several(shared_line, 4, 1));
  expect_broken(several(shared_line_equal, 2, 2), memory_order::sequential, "stuck");
}

// ---- the algorithm dissemination ----------------------------------------------------------------------------

constexpr int most_rounds = 2;

template <int rounds_left_out>
void dissemination(cpu& c, int me, int n, int present) {
  int rounds = 0;
  while (1 << rounds < n) ++rounds;
  for (int round = 0; round < rounds - rounds_left_out; ++round) {
    const int to = (me + (1 << round)) % n;
    c.store(flags + to * most_rounds + round, present);
    c.until_least(flags + me * most_rounds + round, present);
  }
}

// Broken: the reader resets flags, which do not count.
void dissemination_reset(cpu& c, int me, int n, int) {
  for (int round = 0; 1 << round < n; ++round) {
    const int to = (me + (1 << round)) % n;
    c.store(flags + to * most_rounds + round, 1);
    c.until_equal(flags + me * most_rounds + round, 1);
    c.store(flags + me * most_rounds + round, 0);
  }
}

TEST(Barriers, Dissemination) {
  expect_sound(several(dissemination<0>, 2, 3));
  expect_sound(several(dissemination<0>, 3, 2));
  expect_sound(several(dissemination<0>, 4, 1));
  expect_broken(several(dissemination<1>, 3, 1), memory_order::sequential, "has left before");
  expect_broken(several(dissemination_reset, 2, 2), memory_order::sequential, "stuck");
}

// ---- the algorithm central ----------------------------------------------------------------------------------

constexpr int arrivals = flags;
constexpr int releases = flags + 1;

template <int missing>
void central(cpu& c, int me, int n, int present) {
  if ((c.add(arrivals, 1) + 1 + missing) % n == 0) {
    for (int i = 0; i < n; ++i) c.store(releases + i, present);
    return;
  }
  c.until_least(releases + me, present);
}

TEST(Barriers, Central) {
  expect_sound(several(central<0>, 2, 3));
  expect_sound(several(central<0>, 3, 2));
  expect_sound(several(central<0>, 4, 1));
  expect_broken(several(central<1>, 3, 1), memory_order::sequential, "has left before");
}

// ---- the algorithm tree, with two children for each node ------------------------------------------------------

constexpr int arity = 2;
constexpr int reports = flags;  // the reports of the children, `arity` for each PE
constexpr int tree_release = reports + most_pes * arity;

template <bool hasty>
void tree(cpu& c, int me, int n, int present) {
  const int first = me * arity + 1, end = first + arity < n ? first + arity : n;
  for (int child = first; child < end && !(hasty && me != 0); ++child)
    c.until_least(reports + me * arity + child - first, present);
  if (me != 0) {
    const int parent = (me - 1) / arity, which = (me - 1) % arity;
    c.store(reports + parent * arity + which, present);
    c.until_least(tree_release + me, present);
  }
  for (int child = first; child < end; ++child) c.store(tree_release + child, present);
}

TEST(Barriers, Tree) {
  expect_sound(several(tree<false>, 3, 3));
  expect_sound(several(tree<false>, 4, 2));
  expect_broken(several(tree<true>, 4, 1), memory_order::sequential, "has left before");
}

}  // namespace
}  // namespace oshen::model
