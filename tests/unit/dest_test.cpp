// A collective writes only results into dest, and a result stays there until its PE makes the next call. Tested for
// every algorithm, at sizes on both sides of each buffer size. Calls follow one another into the same dest, and one PE
// is late.
#include <gtest/gtest.h>

#include <deque>

#include "coll/team/form.hpp"
#include "os/process.hpp"
#include "support/calls.hpp"

namespace oshen::coll {
namespace {

using testing::arena;
using testing::call;
using testing::run_job;

// Sizes near those of the step slot, the far payload and one chunk of an operand stream; and more than all of its
// chunks.
#ifndef __SANITIZE_THREAD__
constexpr std::size_t sizes[] = {8, 433, 3001, 8200, 40001, 130000, 140000, 1200001};
constexpr int pe_counts[] = {2, 3, 5};
constexpr int rounds = 4;
#else  // about 20 times as slow: one size for each kind of buffer
constexpr std::size_t sizes[] = {433, 8200, 140000};
constexpr int pe_counts[] = {2, 3};
constexpr int rounds = 3;
#endif
constexpr std::size_t arena_bytes = std::size_t{8} << 20;

bool combines(kind k) { return k == kind::reduce || k == kind::inscan || k == kind::exscan; }

// In each round another PE is late: the other PEs are in the next call while its dest is checked.
void call_again_and_again(team& t, arena& a, const algorithm& row, std::size_t bytes) {
  for (int round = 0; round < rounds; ++round) {
    a.reset();
    call c(row.collective, t, a, bytes, round, round == 0 ? call::buffers::first_of_same : call::buffers::same);
    if (round == 0) sync_team(t, "test");  // every dest is ready before any PE makes a call
    c.run();
    const std::string when = testing::name_of(row) + " on return";
    if (!c.holds(when)) return;
    if (round % t.n_pes != t.my_pe) continue;
    for (int i = 0; i < 4; ++i) {
      os::nap(200000);
      if (!c.holds(testing::name_of(row) + " before the next call")) return;
    }
  }
}

void try_rows(world& w, bool (*wanted)(kind)) {
  team& t = w.team_world;
  arena a(w, arena_bytes);
  for (const algorithm* row : registry()) {
    if (row->collective > kind::exscan || !wanted(row->collective)) continue;
    for (const std::size_t bytes : sizes) {
      if (!testing::force(t, *row, bytes)) continue;
      sync_team(t, "test");
      call_again_and_again(t, a, *row, bytes);
      sync_team(t, "test");
    }
  }
}

class Dest : public ::testing::TestWithParam<int> {};

TEST_P(Dest, HoldsTheResultOfAReductionUntilTheNextCall) {
  for (const int n : pe_counts) run_job(n, [](world& w) { try_rows(w, combines); }, 2 * arena_bytes, GetParam());
}

// The number of a collective is part of the tags of messages (24 bits), of the flags of step slots (40 bits) and of
// flag slots (44 bits). All of them must work when the number no longer fits.
void call_across_the_wrap(team& t, arena& a, const algorithm& row, std::size_t bytes, int bits) {
  constexpr int before = 2, calls = 5;
  a.reset();
  std::deque<call> all;
  for (int i = 0; i < flag_slots; ++i) all.emplace_back(kind::fcollect, t, a, 8, i);  // writes every flag slot once
  for (int i = 0; i < calls; ++i) all.emplace_back(row.collective, t, a, bytes, i);
  sync_team(t, "test");
  t.collectives = (std::uint64_t{1} << bits) - flag_slots - before;
  sync_team(t, "test");
  for (call& c : all) c.run();
  for (const call& c : all) c.holds(testing::name_of(row));
}

// Each case has its own job, so that no team slot contains numbers of an earlier team.
TEST_P(Dest, IsRightWhenTheNumberOfCollectivesWraps) {
  for (const int bits : {24, 40, 44}) {
    if (GetParam() != 0 && bits != 40) continue;  // between nodes only step slots are used
    run_job(
        3,
        [bits](world& w) {
          arena a(w, arena_bytes);
          for (const algorithm* row : registry())
            for (const std::size_t bytes : {64u, 5000u}) {
              if (row->collective == kind::sync || !testing::force(w.team_world, *row, bytes)) continue;
              team* t = nullptr;
              ASSERT_EQ(split_strided({&w.team_world, "test"}, 0, 1, 3, t), 0);
              testing::force(*t, *row, bytes);
              call_across_the_wrap(*t, a, *row, bytes, bits);
              sync_team(*t, "test");
              dissolve(*t, "test");
            }
        },
        2 * arena_bytes, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(NodePes, Dest, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace oshen::coll
