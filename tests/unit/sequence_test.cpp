// The sequence of collectives (coll/call/sequence.hpp): a slot is used again only when all PEs have ended its first
// use, and no sync comes that is not needed for this. tests/model/lines_test.cpp has the protocol.
#include <gtest/gtest.h>

#include <deque>
#include <initializer_list>
#include <string>
#include <utility>

#include "coll/call/sequence.hpp"
#include "support/calls.hpp"
#include "support/slow_reader.hpp"

namespace oshen::coll {
namespace {

using testing::arena;
using testing::call;
using testing::run_job;

constexpr std::size_t bytes = 64, arena_bytes = 128 << 10;

// Calls with buffers of their own, which are filled here, because a peer that is ahead may write into them. To be
// followed by a sync.
std::deque<call> prepared(team& t, arena& a, std::initializer_list<std::pair<kind, int>> wanted) {
  std::deque<call> all;
  for (const auto& [k, times] : wanted)
    for (int i = 0; i < times; ++i) all.emplace_back(k, t, a, bytes, 1);
  return all;
}

void make(std::deque<call>& calls, int times) {
  for (; times != 0; --times, calls.pop_front()) calls.front().run();
}

class Sequence : public ::testing::TestWithParam<int> {};

TEST_P(Sequence, SyncsOnlyBeforeASlotThatAPeMayStillRead) {
  run_job(
      3,
      [](world& w) {
        team& t = w.team_world;
        arena a(w, arena_bytes);
        std::deque<call> calls = prepared(t, a, {{kind::reduce, 3 * flag_slots}, {kind::inscan, 2 * flag_slots}});
        sync_team(t, "test");
        const std::uint64_t first = t.syncs;
        make(calls, 3 * flag_slots);
        EXPECT_EQ(t.syncs, first) << "each of them needs all PEs";
        make(calls, flag_slots - 1);
        EXPECT_EQ(t.syncs, first) << "slots that were used before the last reduction";
        make(calls, 1);
        EXPECT_EQ(t.syncs, first + 1) << "the slot of the last reduction";
        make(calls, flag_slots - 1);
        EXPECT_EQ(t.syncs, first + 1);
        sync_team(t, "test");
      },
      1 << 20, GetParam());
}

TEST_P(Sequence, KnowsWhichCollectivesNeedAllPes) {
  run_job(
      3,
      [](world& w) {
        team& t = w.team_world;
        arena a(w, arena_bytes);
        const std::initializer_list<std::pair<kind, int>> need_all = {
            {kind::reduce, 1}, {kind::collect, 1}, {kind::fcollect, 1}, {kind::alltoall, 1}, {kind::alltoalls, 1}};
        std::deque<call> calls = prepared(t, a, need_all);
        std::deque<call> others = prepared(t, a, {{kind::broadcast, 1}, {kind::inscan, 1}, {kind::exscan, 1}});
        sync_team(t, "test");
        for (const auto& [k, times] : need_all) {
          const std::uint64_t before = t.collectives;
          make(calls, times);
          EXPECT_EQ(t.ended_by_all, before) << name_of(k);
        }
        const std::uint64_t before = t.ended_by_all;
        make(others, 3);
        EXPECT_EQ(t.ended_by_all, before);
        sync_team(t, "test");
      },
      1 << 20, GetParam());
}

// PE 0 is the root of broadcasts and runs ahead as far as it may. Other PEs sleep before they read.
void run_ahead(team& t, arena& a, kind needs_all, const std::string& name) {
  constexpr int calls = 3 * (flag_slots + 4);
  a.reset();
  std::deque<call> all;
  for (int i = 0; i < calls; ++i)
    all.emplace_back(i % (flag_slots + 4) == 0 ? needs_all : kind::broadcast, t, a, bytes, t.n_pes * i);
  sync_team(t, "test");
  for (call& one : all) one.run();
  for (const call& one : all)
    if (!one.holds(name + " behind " + name_of(needs_all))) return;
  sync_team(t, "test");
}

TEST_P(Sequence, NoSlotIsWrittenBeforeASlowPeHasReadIt) {
  run_job(
      3,
      [](world& w) {
        testing::slow_reader late;
        team& t = w.team_world;
        arena a(w, arena_bytes);
        t.watcher = &late;
        for (const algorithm* row : registry()) {
          if (row->collective != kind::broadcast || !testing::force(t, *row, bytes)) continue;
          for (const kind k : {kind::reduce, kind::collect, kind::fcollect, kind::alltoall})
            run_ahead(t, a, k, testing::name_of(*row));
        }
        sync_team(t, "test");
        EXPECT_GT(late.naps.load(), 20);
        t.watcher = nullptr;
      },
      1 << 20, GetParam());
}

INSTANTIATE_TEST_SUITE_P(NodePes, Sequence, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace oshen::coll
