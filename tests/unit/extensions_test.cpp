// The collectives of shmemx.h: every algorithm of the registry, at several lengths, back to back. The teams are the
// world, the world in reverse order, every second PE, and a list. Each result must be right, and nothing else may be
// written.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "coll/team/form.hpp"
#include "support/extension_calls.hpp"
#include "support/slow_reader.hpp"
#include "support/thread_job.hpp"

namespace oshen::coll {
namespace {

using namespace testing::extensions;
using testing::run_job;

void try_all(team& t, const buffers& b) {
  int round = 0;  // determines the root, the lengths, and whether the call is in place
  std::set<std::pair<kind, std::size_t>> tried;
  for (const algorithm* row : registry()) {
    for (const std::size_t n : lengths) {
      if (check_of(row->collective) == nullptr || !force(t, row, n)) continue;
      tried.insert({row->collective, n});
      for (int repeat = 0; repeat < 2; ++repeat) try_row(t, b, *row, n, round++);
    }
  }
  EXPECT_EQ(tried.size(), 7 * std::size(lengths)) << "a collective that no row can do";
}

void try_on(world& w, const buffers& b, const membership& who) {
  if (who.find(w.pe) < 0) return;
  team* t = form(w, who, "test");
  ASSERT_NE(t, nullptr);
  try_all(*t, b);
  dissolve(*t, "test");
}

class Extensions : public ::testing::TestWithParam<int> {};

TEST_P(Extensions, OnTheWorld) {
  run_job(GetParam(), [](world& w) { try_all(w.team_world, buffers(w)); });
}

INSTANTIATE_TEST_SUITE_P(Pes, Extensions, ::testing::Values(1, 2, 3, 5, 7, 8, 13));

TEST(Extensions, OnVirtualNodes) {
  for (const int node_pes : {1, 2, 3})
    run_job(5, [](world& w) { try_all(w.team_world, buffers(w)); }, std::size_t{4} << 20, node_pes);
}

TEST(Extensions, OnEverySecondPeBackwards) {
  run_job(6, [](world& w) { try_on(w, buffers(w), {.n_pes = 3, .start = 4, .stride = -2}); });
}

TEST(Extensions, OnAList) {
  run_job(6, [](world& w) {
    const int pes[] = {5, 0, 3, 1};
    try_on(w, buffers(w), {.n_pes = 4, .list = pes});
  });
}

// The last team slot has all that the first ones have.
TEST(Extensions, InTheLastSlot) {
  run_job(8, [](world& w) {
    const buffers b(w);
    std::vector<team*> before;
    while (before.empty() || before.back()->slot < max_teams - 1) before.push_back(form(w, {.n_pes = w.n_pes}, "test"));
    try_all(*before.back(), b);
    for (team* t : before) dissolve(*t, "test");
  });
}

// Many chunks, and a root that is late: no PE sends more chunks than the root has space for.
TEST(Extensions, PiecesWaitForASlowReader) {
  run_job(3, [](world& w) {
    constexpr std::size_t many = 40000;
    const buffers b(w, many);
    testing::slow_reader late;
    w.team_world.watcher = &late;
    int round = 0;
    for (const algorithm* row : registry()) {
      const bool combines = row->collective == kind::reduce_to_root || row->collective == kind::reduce_scatter;
      if (combines && force(w.team_world, row, many)) try_row(w.team_world, b, *row, many, round++);
    }
    EXPECT_GT(late.naps.load(), 4);
    w.team_world.watcher = nullptr;
  });
}

// PEs that only contribute run ahead, but never beyond flag slots that the root has not read.
TEST(Extensions, GiversDoNotRunAway) {
  run_job(3, [](world& w) {
    const buffers b(w);
    for (int i = 0; i < 300; ++i) {
      b.source[0] = static_cast<number>(i * 10 + w.pe);
      gather({&w.team_world, "test"}, b.dest + 3 * i, b.source, 1, 0);
      b.source[1] = static_cast<number>(i + w.pe);
      reduce_to_root<op_sum>({&w.team_world, "test"}, b.dest + 1000 + i, b.source + 1, 1, 0);
    }
    for (int i = 0; w.pe == 0 && i < 300; ++i) {
      for (int pe = 0; pe < 3; ++pe) ASSERT_EQ(b.dest[3 * i + pe], static_cast<number>(i * 10 + pe));
      ASSERT_EQ(b.dest[1000 + i], static_cast<number>(3 * i + 3));
    }
  });
}

}  // namespace
}  // namespace oshen::coll
