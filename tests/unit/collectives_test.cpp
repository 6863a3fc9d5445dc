// Every algorithm in the table of every collective, on the world and on teams of all shapes, at sizes on both sides of
// each buffer size. Calls follow one another without a sync. The same tests run again while chaos delays all PEs. An
// algorithm is covered as soon as it is in the table.
#include "coll/api/collectives.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <deque>
#include <numeric>

#include "coll/algorithms/schedule.hpp"
#include "coll/protocol/step_slots.hpp"
#include "coll/run/chaos.hpp"
#include "coll/team/form.hpp"
#include "support/calls.hpp"
#include "support/slow_reader.hpp"

namespace oshen::coll {
namespace {

using testing::arena;
using testing::call;
using testing::run_job;
using number = std::uint64_t;

#ifdef __SANITIZE_THREAD__
constexpr std::size_t thinning = 4;  // fewer sizes, because the thread sanitizer is slow
#else
constexpr std::size_t thinning = 1;
#endif

// Sizes near those of a cache line, the flag slot, the step slot, the long payload and the eager slot; then of the
// bounce buffer, its halves, and the chunks of a chain. Some are odd.
constexpr std::size_t small_sizes[] = {0,    1,    2,    3,    7,    8,    13,   48,   64,   100,
                                       112,  113,  256,  431,  432,  433,  1000, 1296, 2031, 2032,
                                       2033, 2047, 2048, 2049, 3001, 4095, 4096, 4097, 5000};
constexpr std::size_t large_sizes[] = {16 * 1024, 16 * 1024 + 1, 32 * 1024 - 1, 32 * 1024, 32 * 1024 + 8,
                                       40001,     64 * 1024,     64 * 1024 + 1, 130000};
constexpr std::size_t arena_bytes = std::size_t{24} << 20;

// Calls the sizes of one series back to back. `t.chosen_algorithms` may change between calls, because it belongs to
// this PE alone.
void try_sizes(team& t, arena& a, const algorithm& row, const std::vector<std::size_t>& sizes, int round) {
  a.reset();
  std::deque<call> calls;
  std::vector<std::size_t> counts;
  for (const std::size_t n : sizes) {
    if (!testing::force(t, row, n)) continue;
    calls.emplace_back(row.collective, t, a, n, round++);
    counts.push_back(n);
  }
  sync_team(t, "test");  // every dest is ready before any PE makes a call
  for (std::size_t i = 0; i < calls.size(); ++i) {
    testing::force(t, row, counts[i]);
    calls[i].run();
  }
  for (const call& c : calls)
    if (!c.holds(testing::name_of(row))) break;
}

// Every `step`th of the sizes, starting at another one for each row, so that the rows together cover all sizes.
template <std::size_t n>
std::vector<std::size_t> every(std::size_t step, const std::size_t (&sizes)[n], std::size_t first) {
  std::vector<std::size_t> some;
  for (std::size_t i = first % step; i < n; i += step) some.push_back(sizes[i]);
  return some;
}

// All rows on `t`, with every `step`th of the small sizes.
void try_rows(team& t, arena& a, std::size_t step) {
  std::size_t index = 0;
  for (const algorithm* row : registry()) {
    ++index;
    if (row->collective != kind::sync)
      try_sizes(t, a, *row, every(step * thinning, small_sizes, index), static_cast<int>(index));
  }
}

class EveryAlgorithm : public ::testing::TestWithParam<int> {};

TEST_P(EveryAlgorithm, OnTheWorld) {
  const int n = GetParam();
  const std::size_t step = n <= 3 ? 1 : n <= 8 ? 4 : 8;
  run_job(
      n,
      [&](world& w) {
        arena a(w, arena_bytes);
        try_rows(w.team_world, a, step);
      },
      2 * arena_bytes);
}

INSTANTIATE_TEST_SUITE_P(Pes, EveryAlgorithm, ::testing::Values(1, 2, 3, 5, 7, 8, 13));

// Virtual nodes: in one collective, a PE reaches far PEs by messages and near PEs by memory.
TEST(Collectives, OnVirtualNodes) {
  for (const int node_pes : {1, 2, 3})
    run_job(
        5,
        [&](world& w) {
          EXPECT_TRUE(w.team_world.spans);
          EXPECT_EQ(w.team_shared.n_pes, w.near.n_pes);
          arena a(w, arena_bytes);
          try_rows(w.team_world, a, 9);
          try_sizes(w.team_world, a, binomial_broadcast.put, {130000}, 3);
          try_sizes(w.team_world, a, chain_put_broadcast, {200000}, 3);
          try_sizes(w.team_world, a, ring_put_reduce, {520000, 520000, 2800000}, 4);  // the second is in place
        },
        2 * arena_bytes, node_pes);
}

TEST(Collectives, OnVirtualNodesUnderChaos) {
  run_job(
      3,
      [&](world& w) {
        arena a(w, arena_bytes);
        try_rows(w.team_world, a, 15);
      },
      2 * arena_bytes, 2, 11);
}

TEST(Collectives, OnTeamsThatSpanNodes) {
  run_job(
      6,
      [&](world& w) {
        arena a(w, arena_bytes);
        const int pes[] = {5, 0, 3, 2};
        for (const membership& who :
             {membership{.n_pes = 3, .start = 4, .stride = -2}, membership{.n_pes = 4, .list = pes},
              membership{.n_pes = 2, .start = 2, .stride = 1}}) {
          if (who.find(w.pe) < 0) continue;
          team* t = form(w, who, "test");
          ASSERT_NE(t, nullptr);
          EXPECT_EQ(t->spans, who.n_pes != 2);
          try_rows(*t, a, 15);
          dissolve(*t, "test");
        }
      },
      2 * arena_bytes, 2);
}

// Large messages: each row gets some of the sizes, and all rows together get all sizes.
TEST(Collectives, LargeMessages) {
  for (const int n : {2, 3, 8}) {
    run_job(
        n,
        [&](world& w) {
          arena a(w, arena_bytes);
          std::size_t index = 0;
          for (const algorithm* row : registry()) {
            if (row->collective == kind::sync) continue;
            for (const std::size_t size : every((n == 8 ? 9 : 3) * thinning, large_sizes, index++))
              try_sizes(w.team_world, a, *row, {size}, static_cast<int>(index));
          }
        },
        2 * arena_bytes);
  }
}

// ---- teams of other shapes --------------------------------------------------------------------------------------

struct shape {
  const char* name;
  std::vector<int> (*members)(int n);  // the members in a world of n PEs
};

std::vector<int> from(int first, int step, int end) {
  std::vector<int> pes;
  for (int pe = first; step > 0 ? pe < end : pe > end; pe += step) pes.push_back(pe);
  return pes;
}

const shape shapes[] = {{"every second PE", [](int n) { return from(0, 2, n); }},
                        {"every third PE from the second on", [](int n) { return from(1, 3, n); }},
                        {"all PEs backwards", [](int n) { return from(n - 1, -1, -1); }},
                        {"the odd PEs backwards", [](int n) { return from((n - 1) | 1, -2, -1); }},
                        {"all but the first, in no order", [](int n) {
                           std::vector<int> pes;
                           for (int i = 1; i < n; ++i) pes.push_back(1 + (i - 1) * 5 % (n - 1));
                           return pes;
                         }}};

// With 8 PEs, 5 times 1 .. 6 modulo 7 gives each of these numbers once.
void PrintTo(const shape& s, std::ostream* out) { *out << s.name; }

class EveryShape : public ::testing::TestWithParam<shape> {};

TEST_P(EveryShape, RunsEveryAlgorithm) {
  run_job(
      8,
      [&](world& w) {
        arena a(w, arena_bytes);
        std::vector<int> pes = GetParam().members(w.n_pes);
        std::erase_if(pes, [&](int pe) { return pe < 0 || pe >= w.n_pes; });
        if (std::find(pes.begin(), pes.end(), w.pe) == pes.end()) return;
        team* t = form(w, {.n_pes = static_cast<int>(pes.size()), .list = pes.data()}, "test");
        ASSERT_NE(t, nullptr);
        try_rows(*t, a, 8);
        dissolve(*t, "test");
      },
      2 * arena_bytes);
}

INSTANTIATE_TEST_SUITE_P(Teams, EveryShape, ::testing::ValuesIn(shapes));

// A PE in two teams alternates between their collectives; the teams do not disturb each other.
TEST(Collectives, OverlappingTeams) {
  run_job(
      5,
      [](world& w) {
        arena first(w, arena_bytes / 2);
        arena second(w, arena_bytes / 2);
        const std::vector<int> front = from(0, 1, w.n_pes - 1), back = from(w.n_pes - 1, -1, 0);
        const auto make = [&](const std::vector<int>& pes) {
          const bool inside = std::find(pes.begin(), pes.end(), w.pe) != pes.end();
          return inside ? form(w, {.n_pes = static_cast<int>(pes.size()), .list = pes.data()}, "test") : nullptr;
        };
        team* a = make(front);
        team* b = make(back);
        int round = 0;
        for (const algorithm* row : registry()) {
          if (row->collective == kind::sync) continue;
          const std::vector<std::size_t> sizes = every(9 * thinning, small_sizes, static_cast<std::size_t>(++round));
          if (a != nullptr) try_sizes(*a, first, *row, sizes, round);
          if (b != nullptr) try_sizes(*b, second, *row, sizes, round);
        }
        if (a != nullptr) dissolve(*a, "test");
        if (b != nullptr) dissolve(*b, "test");
      },
      2 * arena_bytes);
}

// ---- chaos ------------------------------------------------------------------------------------------------------

class EverySeed : public ::testing::TestWithParam<int> {};

TEST_P(EverySeed, OfChaosChangesNoResult) {
  run_job(
      GetParam() % 2 == 0 ? 4 : 7,
      [&](world& w) {
        chaos late(static_cast<std::uint64_t>(GetParam()));
        arena a(w, arena_bytes);
        w.team_world.watcher = &late;
        try_rows(w.team_world, a, 7);
        sync_team(w.team_world, "test");
        EXPECT_GT(late.events.load(), 100u);
        w.team_world.watcher = nullptr;
      },
      2 * arena_bytes);
}

INSTANTIATE_TEST_SUITE_P(Chaos, EverySeed, ::testing::Values(1, 2, 3));

// Many chunks, and a receiver that is late: no sender sends more chunks than the receiver has space for.
TEST(Collectives, PiecesWaitForASlowReader) {
  run_job(
      3,
      [](world& w) {
        testing::slow_reader late;
        arena a(w, arena_bytes);
        w.team_world.watcher = &late;
        int index = 0;
        for (const algorithm* row : registry()) {
          if (row->collective == kind::sync) continue;
          const int times = row->collective == kind::reduce ? 6 : 1;  // repeated, so that naps precede other chunks
          for (int i = 0; i < times; ++i) try_sizes(w.team_world, a, *row, {300001}, ++index);
        }
        sync_team(w.team_world, "test");
        EXPECT_GT(late.naps.load(), 50);
        w.team_world.watcher = nullptr;
      },
      2 * arena_bytes);
}

// PE 0 sends more messages of one step than a step slot can announce, before it waits.
template <class Protocol>
struct many_in_one_step {
  static constexpr std::size_t messages = 60, bytes = 8192;

  static void run(const collective_call& job, Protocol& protocol) {
    const int me = job.members.my_pe;
    for (std::size_t at = 0; at < messages * bytes; at += bytes)
      if (me == 0)
        protocol.send(1, 0, job.source + at, job.dest + at, bytes);
      else
        protocol.receive(0, 0, job.dest + at, bytes);
  }
};

TEST(Collectives, ManyMessagesInOneStep) {
  using schedule = many_in_one_step<pull_protocol>;
  constexpr std::size_t n = schedule::messages * schedule::bytes;
  run_job(
      2,
      [](world& w) {
        arena a(w, 2 * n);
        auto* source = reinterpret_cast<char*>(a.take(n));
        auto* dest = reinterpret_cast<char*>(a.take(n));
        for (std::size_t i = 0; i < n; ++i) source[i] = static_cast<char>(i / 7 + i / schedule::bytes);
        sync_team(w.team_world, "test");
        begin_collective(w.team_world, "test");
        run_schedule<schedule, pull_protocol>(
            {.members = w.team_world, .routine = "test", .dest = dest, .source = source});
        EXPECT_EQ(memcmp(w.pe == 1 ? dest : source, source, n), 0);
        sync_team(w.team_world, "test");
      },
      4 * n);
}

void slow_sum(void* into, const void* from, std::size_t elements) {
  os::nap(300000);
  combine<op_sum, number>(into, from, elements);
}

// A PE may change its source and its dest as soon as its call returns, because no peer that still combines reads them
// later.
TEST(Collectives, WhatIsCombinedHasBeenRead) {
  constexpr std::size_t n = 1500;  // some blocks of combine_in_order
  run_job(3, [](world& w) {
    arena a(w, 4 * n * sizeof(number));
    auto* source = reinterpret_cast<number*>(a.take(n * sizeof(number)));
    auto* dest = reinterpret_cast<number*>(a.take(n * sizeof(number)));
    for (const algorithm* row : registry()) {
      const kind what = row->collective;
      if (what != kind::reduce && what != kind::inscan && what != kind::exscan) continue;
      if (!testing::force(w.team_world, *row, n * sizeof(number))) continue;
      std::fill_n(source, n, number{1} << 8 * w.pe);
      sync_team(w.team_world, "test");
      collective_call sum = combine_call<op_sum>({&w.team_world, "test"}, dest, source, n);
      sum.combine = slow_sum;
      carry_out(what, sum);
      const std::vector<number> result(dest, dest + n);
      std::fill_n(source, n, number{0x50});
      std::fill_n(dest, n, number{0x60});
      const int pes = what == kind::reduce ? 3 : what == kind::inscan ? w.pe + 1 : w.pe;
      const number wanted = 0x010101 & ((number{1} << 8 * pes) - 1);
      EXPECT_EQ(result, std::vector<number>(n, wanted)) << testing::name_of(*row) << " on PE " << w.pe;
      sync_team(w.team_world, "test");
    }
  });
}

// With every algorithm, a sync ends only after all PEs have entered it.
TEST(Collectives, NoPeLeavesASyncEarly) {
  for (const int n : {1, 2, 3, 5, 7, 8, 13})
    for (const algorithm* row : registry()) {
      if (row->collective != kind::sync) continue;
      run_job(n, [&](world& w) {
        chaos late(static_cast<std::uint64_t>(n));
        team& t = w.team_world;
        auto* round = static_cast<number*>(heap_malloc(w, "test", sizeof(number)));
        if (!testing::force(t, *row, 0)) return;
        t.watcher = &late;
        for (number i = 1; i <= 20; ++i) {
          *round = i;
          sync_team(t, "test");
          for (int pe = 0; pe < t.n_pes; ++pe)
            EXPECT_EQ(*byte_offset(round, t.ctx.offset_to(static_cast<std::uint32_t>(pe))), i);
          sync_team(t, "test");
        }
        t.watcher = nullptr;
        EXPECT_GE(late.events.load(), n > 1 ? 40u : 0u);  // chaos can delay each of the 40
      });
    }
}

// In rooted collectives the root may run ahead, but never beyond the flag slots.
TEST(Collectives, TheRootDoesNotRunAway) {
  run_job(3, [](world& w) {
    auto* cells = static_cast<number*>(heap_malloc(w, "test", 501 * sizeof(number)));
    for (int i = 0; i < 500; ++i) {
      cells[500] = static_cast<number>(i);
      broadcast({&w.team_world, "test"}, cells + i, cells + 500, 1, 0);
      ASSERT_EQ(cells[i], static_cast<number>(i));
    }
    sync_team(w.team_world, "test");
  });
}

TEST(Collectives, WorkSpaceGrows) {
  run_job(1, [](world& w) {
    for (const std::size_t bytes : {100u, 4097u, 8000u, 20000u, 300u}) {
      std::memset(scratch_of(w.team_world, bytes, "test"), 1, bytes);
      EXPECT_GE(w.team_world.scratch_bytes, bytes);
    }
  });
}

template <class T, class Op>
T reduced(world& w, T mine) {
  auto* cell = static_cast<T*>(heap_malloc(w, "test", sizeof(T)));
  *cell = mine;
  reduce<Op>({&w.team_world, "test"}, cell, cell, 1);
  const T result = *cell;
  heap_free(w, "test", cell);
  return result;
}

// Cases with errors in other libraries: signed maximum of unsigned values, complex, long double.
TEST(Collectives, TheTypeDecidesTheOperation) {
  run_job(2, [](world& w) {
    EXPECT_EQ((reduced<std::uint8_t, op_max>(w, w.pe == 0 ? 100 : 200)), 200);
    EXPECT_EQ((reduced<std::uint32_t, op_max>(w, w.pe == 0 ? 5u : 4000000000u)), 4000000000u);
    EXPECT_EQ((reduced<signed char, op_min>(w, w.pe == 0 ? -100 : 100)), -100);
    EXPECT_EQ((reduced<int, op_sum>(w, INT32_MAX)), -2);  // wraps around
    EXPECT_EQ((reduced<std::uint16_t, op_prod>(w, 65535)), 1);
    using complex = std::complex<double>;
    EXPECT_EQ((reduced<complex, op_prod>(w, w.pe == 0 ? complex(1, 2) : complex(3, -1))), complex(5, 5));
    EXPECT_EQ((reduced<long double, op_sum>(w, 1.0L / 3)), 2.0L / 3);
  });
}

}  // namespace
}  // namespace oshen::coll
