#include <gtest/gtest.h>

#include "bootstrap/single.hpp"
#include "coll/api/collectives.hpp"
#include "coll/call/sequence.hpp"
#include "coll/call/signature.hpp"
#include "coll/team/form.hpp"
#include "support/thread_job.hpp"

namespace oshen::coll {
namespace {

using testing::run_job;

team_call everybody(world& w) { return {&w.team_world, "test"}; }

TEST(Teams, StridedBackwards) {
  run_job(5, [](world& w) {
    team* t = nullptr;
    ASSERT_EQ(split_strided(everybody(w), 4, -2, 3, t), 0);
    ASSERT_EQ(t != nullptr, w.pe % 2 == 0);
    if (t == nullptr) return;
    EXPECT_EQ(t->my_pe, (4 - w.pe) / 2);
    EXPECT_EQ(t->world_pe(0), 4);
    sync({t, "test"});
    dissolve(*t, "test");
  });
}

TEST(Teams, BadTripletsFailEverywhere) {
  run_job(3, [](world& w) {
    const int triplets[][3] = {{0, 1, 4}, {3, 1, 1}, {-1, 1, 1}, {0, 0, 2}, {0, 1, 0}, {2, 1, 2}, {1, -1, 3}};
    for (const auto& [start, stride, size] : triplets) {
      team* t = &w.team_world;
      EXPECT_NE(split_strided(everybody(w), start, stride, size, t), 0);
      EXPECT_EQ(t, nullptr);
    }
  });
}

TEST(Teams, TwoDimensionsWithAShortRow) {
  run_job(5, [](world& w) {
    team *x = nullptr, *y = nullptr;
    ASSERT_EQ(split_2d(everybody(w), 3, x, y), 0);
    EXPECT_EQ(x->n_pes, w.pe < 3 ? 3 : 2);
    EXPECT_EQ(y->n_pes, w.pe % 3 < 2 ? 2 : 1);
    EXPECT_EQ(x->my_pe, w.pe % 3);
    EXPECT_EQ(y->my_pe, w.pe / 3);
    dissolve(*x, "test");
    dissolve(*y, "test");
  });
}

TEST(Teams, ColoursAndKeys) {
  run_job(5, [](world& w) {
    team* t = nullptr;
    ASSERT_EQ(split_color(everybody(w), w.pe == 4 ? -1 : w.pe % 2, -w.pe, t), 0);
    ASSERT_EQ(t == nullptr, w.pe == 4);
    if (t == nullptr) return;
    EXPECT_EQ(t->n_pes, 2);
    EXPECT_EQ(t->my_pe, w.pe < 2 ? 1 : 0);  // the larger PE has the smaller key
    dissolve(*t, "test");
  });
  run_job(4, [](world& w) {
    team* t = nullptr;
    ASSERT_EQ(split_color(everybody(w), 0, w.pe == 3 ? 0 : 1, t), 0);
    EXPECT_EQ(t->my_pe, (w.pe + 1) % 4);  // equal keys: in the order of the parent
    dissolve(*t, "test");
  });
}

// Slots are reused: there are far more teams than slots, and some of them live at the same time.
TEST(Teams, ManyOneAfterTheOther) {
  run_job(3, [](world& w) {
    for (int i = 0; i < max_teams + 300; ++i) {
      team *a = nullptr, *b = nullptr;
      ASSERT_EQ(split_strided(everybody(w), 0, 1, 3, a), 0);
      ASSERT_EQ(split_strided({a, "test"}, 1, 1, 2, b), 0);
      sync({a, "test"});
      if (b != nullptr) dissolve(*b, "test");
      dissolve(*a, "test");
    }
  });
}

TEST(Teams, NoSlotLeftIsAnAnswerOnEveryMember) {
  run_job(2, [](world& w) {
    std::vector<team*> alive;
    team* t = nullptr;
    while (split_strided(everybody(w), 0, 1, 2, t) == 0) alive.push_back(t);
    EXPECT_EQ(alive.size(), static_cast<std::size_t>(max_teams - 2));  // world and shared have one each
    for (team* each : alive) dissolve(*each, "test");
    ASSERT_EQ(split_strided(everybody(w), 0, 1, 2, t), 0);
    dissolve(*t, "test");
  });
}

// PE 2 is in none of the teams, and learns from the members that there is no slot left.
TEST(Teams, AFailureIsToldToTheWholeParent) {
  run_job(3, [](world& w) {
    for (const bool by_color : {false, true}) {
      std::vector<team*> alive;
      const int color = w.pe < 2 ? 0 : -1;
      int formed = 0;
      for (team* t = nullptr; formed < 2 * max_teams; ++formed) {
        if ((by_color ? split_color(everybody(w), color, 0, t) : split_strided(everybody(w), 0, 1, 2, t)) != 0) break;
        if (t != nullptr) alive.push_back(t);
      }
      EXPECT_EQ(formed, max_teams - 2);
      for (team* each : alive) dissolve(*each, "test");
    }
  });
}

// Rounds of one call keep its record, so that a later comparison does not read that of an earlier call.
TEST(Teams, ARoundOfACallKeepsItsRecord) {
  run_job(2, [](world& w) {
    team& t = w.team_world;
    const collective_call c{.members = t, .routine = "test", .elements = 7, .element_bytes = 8};
    for (int i = 0; i < 2 * flag_slots; ++i) {
      begin_collective(t, c.routine);
      sign(kind::broadcast, c);
      const call_record before = record_of(t, t.my_pe);
      const std::uint64_t signature = t.flag & ~flag_number;
      begin_round(t, c.routine);
      EXPECT_EQ(record_of(t, t.my_pe).number, t.collectives);
      EXPECT_EQ(record_of(t, t.my_pe).signature, before.signature);
      EXPECT_EQ(record_of(t, t.my_pe).sizes.elements, 7u);
      EXPECT_EQ(t.flag & ~flag_number, signature);
      begin_collective(t, c.routine);  // not signed, as in a split
      begin_round(t, c.routine);
      EXPECT_EQ(record_of(t, t.my_pe).number, t.collectives);
      EXPECT_EQ(record_of(t, t.my_pe).sizes.elements, 0u);
    }
  });
}

// Without memory for its list a team would take start and stride for its members. The sanitizers end the process
// themselves at such a request.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Teams, NoMemoryForTheListEndsTheJob) {
  bootstrap::single alone;
  world w{};
  w.launcher = &alone;
  EXPECT_EXIT(private_memory(w, 2, SIZE_MAX / 2 - 1, "shmem_team_split"), ::testing::ExitedWithCode(1),
              "shmem_team_split: no memory for a team of 2 PEs");
}
#endif

// Several threads create teams that share PEs at the same time, as THREAD_MULTIPLE allows.
TEST(Teams, FormedByThreadsAtOnce) {
  run_job(3, [](world& w) {
    team* parents[3];
    for (team*& parent : parents) ASSERT_EQ(split_strided(everybody(w), 0, 1, 3, parent), 0);
    std::vector<std::thread> threads;
    for (team* parent : parents)
      threads.emplace_back([parent] {
        for (int i = 0; i < 50; ++i) {
          team* t = nullptr;
          ASSERT_EQ(split_strided({parent, "test"}, 0, 1, 3, t), 0);
          sync({t, "test"});
          dissolve(*t, "test");
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (team* parent : parents) dissolve(*parent, "test");
  });
}

TEST(Handles, OfSomethingDestroyedAreNotFound) {
  handle_table<context, 16> table;
  ASSERT_TRUE(table.open());
  context* c = table.make();
  const std::uintptr_t old = c->handle;
  EXPECT_EQ(table.find(old), c);
  table.drop(c);
  EXPECT_EQ(table.find(old), nullptr);
  EXPECT_EQ(table.make(), c);
  EXPECT_EQ(table.find(old), nullptr);
  for (int i = 0; i < 15; ++i) EXPECT_NE(table.make(), nullptr);
  EXPECT_EQ(table.make(), nullptr);
  for (const std::uintptr_t bad :
       {std::uintptr_t{0}, std::uintptr_t{1}, std::uintptr_t{5}, old + 1, UINTPTR_MAX - 63, UINTPTR_MAX})
    EXPECT_EQ(table.find(bad), nullptr);
  table.close();
}

// Requests contain short names of teams, which stay valid when the count of teams no longer fits into them.
TEST(Handles, ShortNamesGoOnWhenTheCountWraps) {
  using table_of_contexts = handle_table<context, 16>;
  table_of_contexts table;
  ASSERT_TRUE(table.open());
  for (const int bits : {12, 32 - table_of_contexts::index_bits, 32}) {
    table.count_from((std::uintptr_t{1} << bits) - 4);
    std::uint32_t before = 0;
    for (int i = 0; i < 8; ++i) {
      context* const other = table.make();
      context* const c = table.make();
      const std::uint32_t name = table_of_contexts::short_name(c->handle);
      EXPECT_NE(name, before);
      EXPECT_NE(name, table_of_contexts::short_name(other->handle));
      EXPECT_EQ(table.find_short(name), c);
      EXPECT_EQ(table.find_short(before), nullptr);
      table.drop(c);
      table.drop(other);
      EXPECT_EQ(table.find_short(name), nullptr);
      before = name;
    }
  }
  EXPECT_EQ(table.find_short(0), nullptr);
  EXPECT_EQ(table.find_short(UINT32_MAX), nullptr);
  table.close();
}

}  // namespace
}  // namespace oshen::coll
