// Every algorithm of the registry, for every collective, at several team sizes and message sizes, on the world
// and on teams that follow no rule. An algorithm is covered the moment it is listed.
#include "coll/collectives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <string>

#include "coll/form.hpp"
#include "coll/symmetric_heap.hpp"
#include "support/thread_job.hpp"

namespace oshen::coll {
namespace {

using testing::run_job;
using number = std::uint64_t;

constexpr int job_sizes[] = {1, 2, 3, 5, 8};
constexpr std::size_t lengths[] = {0, 1, 2, 3, 7, 13, 14, 15, 100, 1023, 1025, 5000};
constexpr std::size_t longest = 5000;

// What PE `pe` of the team contributes at `i` in round `round`.
number given(int pe, std::size_t i, int round) {
  return static_cast<number>(pe + 1) * 1000003u + i * 17u + static_cast<number>(round);
}

// Buffers for one team, the same for every call.
struct buffers {
  world& w;
  std::size_t n;
  number* source;
  number* dest;

  explicit buffers(world& home) : w(home), n(static_cast<std::size_t>(home.n_pes)) {
    source = static_cast<number*>(heap_malloc(w, "test", longest * n * 3 * sizeof(number)));
    dest = static_cast<number*>(heap_malloc(w, "test", longest * n * 3 * sizeof(number)));
  }
};

// Makes every collective of kind `k` on `t` use `a`, where it can do the size.
bool force(team& t, const algorithm* a, std::size_t bytes) {
  const auto all = registry();
  const auto index = static_cast<std::size_t>(std::find(all.begin(), all.end(), a) - all.begin());
  const setting s{t.n_pes, bytes, true, t.slot < rooms, t.home->config.coll_domain};
  if (a->cost(s) >= impossible) return false;
  for (auto& choice : t.chosen[static_cast<int>(a->collective)]) choice = static_cast<std::uint8_t>(index);
  return true;
}

void fill(buffers& b, const team& t, std::size_t count, int round) {
  for (std::size_t i = 0; i < count; ++i) b.source[i] = given(t.my_pe, i, round);
  std::fill_n(b.dest, count * 3 + 1, 0u);
}

using check = void (*)(buffers&, team&, std::size_t, int);

void check_broadcast(buffers& b, team& t, std::size_t n, int round) {
  const int root = round % t.n_pes;
  broadcast({&t, "test"}, b.dest, b.source, n, root);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(b.dest[i], given(root, i, round));
  ASSERT_EQ(b.dest[n], 0u);
}

void check_fcollect(buffers& b, team& t, std::size_t n, int round) {
  fcollect({&t, "test"}, b.dest, b.source, n);
  for (int pe = 0; pe < t.n_pes; ++pe)
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(b.dest[static_cast<std::size_t>(pe) * n + i], given(pe, i, round));
}

void check_collect(buffers& b, team& t, std::size_t n, int round) {
  const auto count = [&](int pe) { return (pe + round) % 3 == 0 ? 0 : n / static_cast<std::size_t>(pe + 1); };
  collect({&t, "test"}, b.dest, b.source, count(t.my_pe));
  const number* place = b.dest;
  for (int pe = 0; pe < t.n_pes; ++pe)
    for (std::size_t i = 0; i < count(pe); ++i) ASSERT_EQ(*place++, given(pe, i, round));
}

void check_alltoall(buffers& b, team& t, std::size_t n, int round) {
  alltoall({&t, "test"}, b.dest, b.source, n);
  const std::size_t mine = static_cast<std::size_t>(t.my_pe) * n;
  for (int pe = 0; pe < t.n_pes; ++pe)
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(b.dest[static_cast<std::size_t>(pe) * n + i], given(pe, mine + i, round));
}

void check_alltoalls(buffers& b, team& t, std::size_t n, int round) {
  alltoalls({&t, "test"}, b.dest, b.source, 3, 2, n);
  for (int pe = 0; pe < t.n_pes; ++pe)
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t block = static_cast<std::size_t>(pe) * n + i;
      ASSERT_EQ(b.dest[block * 3], given(pe, (static_cast<std::size_t>(t.my_pe) * n + i) * 2, round));
      if (block + 1 < n * static_cast<std::size_t>(t.n_pes)) {
        ASSERT_EQ(b.dest[block * 3 + 1], 0u);
      }
    }
}

// Sum of the contributions of PEs 0 .. end - 1.
number prefix(std::size_t i, int round, int end) {
  number sum = 0;
  for (int pe = 0; pe < end; ++pe) sum += given(pe, i, round);
  return sum;
}

template <kind k>
void check_sum(buffers& b, team& t, std::size_t n, int round) {
  number* dest = round % 2 == 0 ? b.dest : b.source;  // every other time in place
  combine_all<op_sum>(k, {&t, "test"}, dest, b.source, n);
  const int end = k == kind::reduce ? t.n_pes : k == kind::inscan ? t.my_pe + 1 : t.my_pe;
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(dest[i], prefix(i, round, end));
}

void check_sync(buffers& b, team& t, std::size_t, int round) {
  b.source[0] = static_cast<number>(round);
  sync({&t, "test"});
  for (int pe = 0; pe < t.n_pes; ++pe) {
    const auto* theirs = byte_offset(b.source, t.reach.hop_to(static_cast<std::uint32_t>(pe)));
    ASSERT_EQ(*theirs, static_cast<number>(round));
  }
  sync({&t, "test"});
}

check check_of(kind k) {
  switch (k) {
    case kind::sync: return check_sync;
    case kind::broadcast: return check_broadcast;
    case kind::collect: return check_collect;
    case kind::fcollect: return check_fcollect;
    case kind::alltoall: return check_alltoall;
    case kind::alltoalls: return check_alltoalls;
    case kind::reduce: return check_sum<kind::reduce>;
    case kind::inscan: return check_sum<kind::inscan>;
    case kind::exscan: return check_sum<kind::exscan>;
  }
  return nullptr;
}

void try_algorithm(team& t, buffers& b, const algorithm* a) {
  int round = 0;
  for (const std::size_t n : lengths) {
    if (!force(t, a, n * sizeof(number))) continue;
    for (int repeat = 0; repeat < 3; ++repeat, ++round) {
      fill(b, t, n * 2 * b.n, round);
      sync_team(t, "test");  // every dest is ready before anybody calls
      check_of(a->collective)(b, t, n, round);
      sync_team(t, "test");
    }
  }
}

class EveryAlgorithm : public ::testing::TestWithParam<int> {};

TEST_P(EveryAlgorithm, OnTheWorld) {
  for (const algorithm* a : registry()) {
    SCOPED_TRACE(std::string(name_of(a->collective)) + "/" + a->name);
    run_job(GetParam(), [&](world& w) {
      buffers b(w);
      try_algorithm(w.team_world, b, a);
    });
  }
}

// The odd PEs backwards, by list.
TEST_P(EveryAlgorithm, OnAnIrregularTeam) {
  for (const algorithm* a : registry()) {
    SCOPED_TRACE(std::string(name_of(a->collective)) + "/" + a->name);
    run_job(GetParam(), [&](world& w) {
      buffers b(w);
      std::vector<int> odd;
      for (int pe = w.n_pes - 1; pe >= 0; --pe)
        if (pe % 2 == 1) odd.push_back(pe);
      if (w.pe % 2 == 0) return;
      team* t = form(w, {.n_pes = static_cast<int>(odd.size()), .list = odd.data()}, "test");
      ASSERT_NE(t, nullptr);
      try_algorithm(*t, b, a);
      dissolve(*t, "test");
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Pes, EveryAlgorithm, ::testing::ValuesIn(job_sizes));

// Rooted collectives let the root run ahead: it must never overtake the bulletins.
TEST(Collectives, TheRootDoesNotRunAway) {
  run_job(3, [](world& w) {
    buffers b(w);
    for (int i = 0; i < 500; ++i) {
      b.source[0] = static_cast<number>(i);
      broadcast({&w.team_world, "test"}, b.dest + i, b.source, 1, 0);
      ASSERT_EQ(b.dest[i], static_cast<number>(i));
    }
    sync_team(w.team_world, "test");
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

// What other libraries got wrong: signed maximum of unsigned values, complex, long double.
TEST(Collectives, TheTypeDecidesTheOperation) {
  run_job(2, [](world& w) {
    EXPECT_EQ((reduced<std::uint8_t, op_max>(w, w.pe == 0 ? 100 : 200)), 200);
    EXPECT_EQ((reduced<std::uint32_t, op_max>(w, w.pe == 0 ? 5u : 4000000000u)), 4000000000u);
    EXPECT_EQ((reduced<signed char, op_min>(w, w.pe == 0 ? -100 : 100)), -100);
    EXPECT_EQ((reduced<int, op_sum>(w, INT32_MAX)), -2);  // wraps round
    EXPECT_EQ((reduced<std::uint16_t, op_prod>(w, 65535)), 1);
    using complex = std::complex<double>;
    EXPECT_EQ((reduced<complex, op_prod>(w, w.pe == 0 ? complex(1, 2) : complex(3, -1))), complex(5, 5));
    EXPECT_EQ((reduced<long double, op_sum>(w, 1.0L / 3)), 2.0L / 3);
  });
}

}  // namespace
}  // namespace oshen::coll
