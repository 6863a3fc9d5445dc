// Neighbourhood collectives: graphs of many shapes, many runs without a barrier between them, slow PEs.
#include "coll/neighbor/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "allocation/symmetric_heap.hpp"
#include "coll/collective.hpp"
#include "coll/run/chaos.hpp"
#include "coll/team/form.hpp"
#include "support/thread_job.hpp"

namespace oshen::coll {
namespace {

using testing::run_job;
using number = std::uint64_t;

struct link {
  int from, to;
  std::size_t elements;
};
using links = std::vector<link>;

// Every PE makes the same graph.
links random_links(int n, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  links all;
  for (int i = 0; i < 3 * n; ++i)
    all.push_back({static_cast<int>(random() % static_cast<unsigned>(n)),
                   static_cast<int>(random() % static_cast<unsigned>(n)), random() % 4 == 0 ? 0 : random() % 700});
  return all;
}

links ring_links(int n) {
  links all;
  for (int pe = 0; pe < n; ++pe) {
    all.push_back({pe, (pe + 1) % n, 5});
    all.push_back({pe, (pe + n - 1) % n, 300});
  }
  return all;
}

// The edges of this PE; blocks follow one another with a gap of one element.
struct ends {
  std::vector<edge> in, out;
  std::vector<link> coming;  // one for each edge of `in`
  std::vector<std::size_t> first_at_sender;

  ends(const links& all, int me) {
    std::vector<std::size_t> source_end(1000, 0);
    std::size_t dest_end = 0;
    for (const link& l : all) {
      std::size_t& first = source_end[static_cast<std::size_t>(l.from)];
      if (l.from == me) out.push_back({l.to, l.elements, first});
      if (l.to == me) {
        in.push_back({l.from, l.elements, dest_end});
        coming.push_back(l);
        first_at_sender.push_back(first);
        dest_end += l.elements + 1;
      }
      first += l.elements + 1;
    }
  }
};

number given(int pe, std::size_t i, int run) {
  return static_cast<number>(pe + 1) << 40 | static_cast<number>(run) << 20 | i;
}

constexpr std::size_t room = 20000;  // elements of each dest, and of source
constexpr int runs = 40;

constexpr number untouched = 0x5555555555555555u;

void expect_gaps_untouched(const number* dest, const ends& mine) {
  std::vector<bool> block(room);
  for (const edge& e : mine.in)
    for (std::size_t i = 0; i < e.elements; ++i) block[e.first + i] = true;
  for (std::size_t i = 0; i < room; ++i)
    ASSERT_TRUE(block[i] || dest[i] == untouched) << "element " << i << " is nobody's";
}

// `dawdle`: PEs take turns in being late.
void run_graph(world& w, team& t, const links& all, int buffers, bool dawdle) {
  number* dest[2];
  for (number*& d : dest) d = static_cast<number*>(heap_malloc(w, "test", room * sizeof(number)));
  auto* source = static_cast<number*>(heap_malloc(w, "test", room * sizeof(number)));
  if (t.my_pe < 0) return;
  for (number* d : dest) std::fill_n(d, room, untouched);
  const ends mine(all, t.my_pe);
  graph* g = make_graph({&t, "test"}, mine.in, mine.out, sizeof(number), buffers);
  ASSERT_NE(g, nullptr);
  for (int run = 1; run <= runs; ++run) {
    number* into = dest[run % buffers];
    for (std::size_t i = 0; i < room; ++i) source[i] = given(t.my_pe, i, run);
    start({g, "test"}, into, source);
    if (dawdle && run % t.n_pes == t.my_pe) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (run % 3 == 0)
      while (!test({g, "test"})) std::this_thread::yield();
    else
      wait({g, "test"});
    for (std::size_t e = 0; e < mine.in.size(); ++e)
      for (std::size_t i = 0; i < mine.in[e].elements; ++i)
        ASSERT_EQ(into[mine.in[e].first + i], given(mine.coming[e].from, mine.first_at_sender[e] + i, run))
            << "run " << run << " edge " << e << " element " << i;
  }
  drop_graph({g, "test"});
  for (number* d : dest) expect_gaps_untouched(d, mine);
}

class Graphs : public ::testing::TestWithParam<int> {};

TEST_P(Graphs, RingsOfOneBuffer) {
  run_job(GetParam(), [](world& w) { run_graph(w, w.team_world, ring_links(w.n_pes), 1, false); });
}

TEST_P(Graphs, RingsOfTwoBuffers) {
  run_job(GetParam(), [](world& w) { run_graph(w, w.team_world, ring_links(w.n_pes), 2, true); });
}

// Edges from a PE to itself, several edges between one pair, empty edges, PEs that only send or only receive.
TEST_P(Graphs, AtRandom) {
  run_job(GetParam(), [](world& w) {
    for (int seed = 0; seed < 3; ++seed)
      run_graph(w, w.team_world, random_links(w.n_pes, seed), 1 + seed % 2, seed == 1);
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, Graphs, ::testing::Values(1, 2, 3, 8));

TEST(Graphs, OnVirtualNodes) {
  for (const int node_pes : {1, 2})
    run_job(
        5,
        [](world& w) {
          for (int seed = 0; seed < 2; ++seed)
            run_graph(w, w.team_world, random_links(w.n_pes, seed), 1 + seed % 2, seed == 1);
        },
        std::size_t{4} << 20, node_pes);
}

// The graph outlives its team; two graphs run at the same time.
TEST(Graphs, OnATeamThatEnds) {
  run_job(5, [](world& w) {
    auto* dest = static_cast<number*>(heap_malloc(w, "test", 2 * sizeof(number)));
    auto* source = static_cast<number*>(heap_malloc(w, "test", sizeof(number)));
    const int pes[] = {4, 0, 3};
    if (w.pe % 2 == 1 && w.pe != 3) return;
    if (w.pe == 2) return;
    team* t = form(w, {.n_pes = 3, .list = pes}, "test");
    const int before = (t->my_pe + 2) % 3, after = (t->my_pe + 1) % 3, world_before = t->world_pe(before);
    const edge in[] = {{before, 1, 0}}, back_in[] = {{after, 1, 0}};
    const edge out[] = {{after, 1, 0}}, back_out[] = {{before, 1, 0}};
    graph* forth = make_graph({t, "test"}, in, out, sizeof(number), 1);
    graph* back = make_graph({t, "test"}, back_in, back_out, sizeof(number), 1);
    const int world_after = t->world_pe(after);
    dissolve(*t, "test");
    *source = static_cast<number>(w.pe + 100);
    start({forth, "test"}, dest, source);
    start({back, "test"}, dest + 1, source);
    wait({back, "test"});
    wait({forth, "test"});
    EXPECT_EQ(dest[0], static_cast<number>(world_before + 100));
    EXPECT_EQ(dest[1], static_cast<number>(world_after + 100));
    drop_graph({forth, "test"});
    drop_graph({back, "test"});
  });
}

// Chaos can delay all signals of the neighbours: the flag of a ready dest, the block, its flag, its arrival.
TEST(Graphs, AreWatched) {
  run_job(2, [](world& w) {
    auto* x = static_cast<number*>(heap_malloc(w, "test", 2 * sizeof(number)));
    const edge one[] = {{1 - w.pe, 1, 0}};
    graph* g = make_graph({&w.team_world, "test"}, one, one, sizeof(number), 1);
    chaos late(7);
    w.team_world.watcher = &late;
    for (number run = 1; run <= 10; ++run) {
      x[1] = run;
      start({g, "test"}, x, x + 1);
      wait({g, "test"});
      EXPECT_EQ(x[0], run);  // the next start lets the peer write again
    }
    w.team_world.watcher = nullptr;
    EXPECT_GE(late.events.load(), 40u);
    drop_graph({g, "test"});
  });
}

// A block is not written before its dest is ready. PE 0 sends and PE 1 receives. Each start of PE 1 permits writes to
// the dest of this run, and with two buffers also to the dest of the next run.
TEST(Graphs, WaitForTheReader) {
  for (const int buffers : {1, 2})
    run_job(2, [&](world& w) {
      auto* x = static_cast<number*>(heap_calloc(w, "test", 3, sizeof(number)));
      const edge one[] = {{1 - w.pe, 1, 0}};
      const std::span<const edge> in(one, w.pe == 1 ? 1 : 0), out(one, w.pe == 0 ? 1 : 0);
      graph* g = make_graph({&w.team_world, "test"}, in, out, sizeof(number), buffers);
      const graph_call at{g, "test"};
      const auto meet = [&] { EXPECT_EQ(w.launcher->barrier(), status::ok); };
      const auto dest = [&](int run) { return x + run % buffers; };
      const auto begin = [&](int run) {
        x[2] = static_cast<number>(run);
        start(at, dest(run), x + 2);
        return test(at);
      };
      const auto end = [&] {
        while (!test(at)) std::this_thread::yield();
      };
      if (w.pe == 0) {
        for (int run = 1; run < buffers; ++run) EXPECT_TRUE(begin(run));
        EXPECT_FALSE(begin(buffers));
        meet();
        end();
        EXPECT_FALSE(begin(buffers + 1));
        meet();
        end();
      } else {
        meet();
        EXPECT_EQ(*dest(buffers), 0u);
        start(at, dest(1), x + 2);
        wait(at);
        meet();
        for (int run = 1; run <= buffers + 1; ++run) {
          if (run > 1) start(at, dest(run), x + 2), wait(at);
          EXPECT_EQ(*dest(run), static_cast<number>(run));
        }
      }
      drop_graph(at);
    });
}

// A flag holds 16 bits of the number of the run (run.cpp). The graph goes on at a run shortly before they wrap.
TEST(Graphs, ArriveWhenTheNumberOfRunsWraps) {
  constexpr number first = (1u << 16) - 5, n_runs = 10;
  for (const int buffers : {1, 2})
    for (const int node_pes : {1, 2})
      run_job(
          2,
          [&](world& w) {
            auto* x = static_cast<number*>(heap_calloc(w, "test", 3, sizeof(number)));
            const edge one[] = {{1 - w.pe, 1, 0}};
            graph* g = make_graph({&w.team_world, "test"}, one, one, sizeof(number), buffers);
            g->run = g->in->told = g->out->told = first;
            g->out->own_end->ready.store(first + static_cast<number>(buffers) - 1);
            EXPECT_EQ(w.launcher->barrier(), status::ok);
            for (number run = first + 1; run <= first + n_runs; ++run) {
              number* dest = x + run % static_cast<number>(buffers);
              x[2] = run + static_cast<number>(w.pe);
              start({g, "test"}, dest, x + 2);
              wait({g, "test"});
              EXPECT_EQ(*dest, run + static_cast<number>(1 - w.pe));
            }
            drop_graph({g, "test"});
          },
          std::size_t{4} << 20, node_pes);
}

// Edge ends are reused only after both PEs have dropped the graph, because until then the other PE may write there.
TEST(Graphs, AreDroppedTogether) {
  std::atomic<bool> dropped{false};
  run_job(2, [&](world& w) {
    auto* x = static_cast<number*>(heap_calloc(w, "test", 2, sizeof(number)));
    const edge one[] = {{1 - w.pe, 1, 0}};
    const std::span<const edge> in(one, w.pe == 1 ? 1 : 0), out(one, w.pe == 0 ? 1 : 0);
    const graph_call at{make_graph({&w.team_world, "test"}, in, out, sizeof(number), 2), "test"};
    if (w.pe == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    start(at, x, x + 1);
    wait(at);  // PE 0 does not block, because the first of two buffers is ready
    if (w.pe == 1) dropped = true;
    drop_graph(at);
    EXPECT_TRUE(dropped.load());
  });
}

// The edge ends of a PE are taken in rows that do not overlap, up to the last one, and again after they are given back.
TEST(EdgeEnds, AreTakenInRows) {
  edge_end_allocator ends;
  EXPECT_EQ(ends.take(0), 0);
  EXPECT_EQ(ends.take(max_edge_ends + 1), -1);
  EXPECT_EQ(ends.take(max_edge_ends - 1), 0);
  EXPECT_EQ(ends.take(2), -1);
  EXPECT_EQ(ends.take(1), max_edge_ends - 1);
  EXPECT_EQ(ends.take(1), -1);
  ends.give_back(10, 3);
  ends.give_back(62, 4);  // their bits are in two words
  EXPECT_EQ(ends.take(5), -1);
  EXPECT_EQ(ends.take(4), 62);
  EXPECT_EQ(ends.take(2), 10);
  EXPECT_EQ(ends.take(2), -1);
  EXPECT_EQ(ends.take(1), 12);
  EXPECT_EQ(ends.take(0), 0);
}

// If one PE has no room, the creation fails on all PEs, and nothing stays allocated.
TEST(Graphs, NoRoomIsNoRoomForAll) {
  run_job(3, [](world& w) {
    const team_call at{&w.team_world, "test"};
    const int n = w.pe == 1 ? max_edge_ends / 2 + 1 : 0;
    const std::vector<edge> many(static_cast<std::size_t>(n), edge{w.pe, 0, 0});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(make_graph(at, many, many, 1, 1), nullptr);
    const std::vector<edge> most(w.pe == 1 ? max_edge_ends / 64 : 0, edge{w.pe, 1, 0});
    graph* g = make_graph(at, most, most, 1, 1);
    ASSERT_NE(g, nullptr);
    drop_graph({g, "test"});
  });
}

// Places are reused: far more graphs than places are created and destroyed.
TEST(Graphs, ComeAndGo) {
  run_job(2, [](world& w) {
    auto* x = static_cast<number*>(heap_malloc(w, "test", 2 * sizeof(number)));
    for (int i = 0; i < 300; ++i) {
      const std::vector<edge> one(100, edge{1 - w.pe, 0, 0});
      graph* g = make_graph({&w.team_world, "test"}, one, one, sizeof(number), 2);
      ASSERT_NE(g, nullptr);
      start({g, "test"}, x, x + 1);
      wait({g, "test"});
      drop_graph({g, "test"});
    }
  });
}

}  // namespace
}  // namespace oshen::coll
