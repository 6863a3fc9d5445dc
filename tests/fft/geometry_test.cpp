// Boxes, cuts, routes, steps, tiles and copies: arithmetic without any PE.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "fft/geometry/box.hpp"
#include "fft/geometry/cost.hpp"
#include "fft/geometry/route.hpp"
#include "fft/geometry/split.hpp"
#include "fft/geometry/steps.hpp"
#include "fft/geometry/tile.hpp"
#include "fft/moves/make_plan.hpp"
#include "fft/passes/copy.hpp"
#include "random_problem.hpp"

namespace oshen::fft {
namespace {

TEST(boxes, overlap_has_the_common_points) {
  const box a{{0, 0, 0}, {4, 4, 4}}, b{{2, 3, 1}, {5, 5, 2}, {2, 0, 1}};
  const box both = overlap(a, b);
  EXPECT_EQ(both.low, (axes3{2, 3, 1}));
  EXPECT_EQ(both.size, (axes3{2, 1, 2}));
  EXPECT_EQ(both.order, a.order);
  EXPECT_TRUE(overlap(a, box{{4, 0, 0}, {1, 1, 1}}).empty());
}

TEST(boxes, strides_follow_the_order) {
  const box b{{0, 0, 0}, {2, 3, 5}, {2, 0, 1}};
  EXPECT_EQ(b.strides(), (strides3{5, 10, 1}));
  EXPECT_EQ(b.offset({1, 2, 4}), 5 + 20 + 4);
}

TEST(boxes, cover_needs_every_point_once) {
  const axes3 extent{4, 3, 2};
  EXPECT_TRUE(covers(layout{{{0, 0, 0}, {4, 3, 1}}, {{0, 0, 1}, {4, 3, 1}}}, extent));
  EXPECT_FALSE(covers(layout{{{0, 0, 0}, {4, 3, 1}}}, extent));
  EXPECT_FALSE(covers(layout{{{0, 0, 0}, {4, 3, 2}}, {{0, 0, 1}, {4, 3, 1}}}, extent));
  // As many points as needed, but one twice and another missing.
  EXPECT_FALSE(covers(layout{{{0, 0, 0}, {4, 3, 1}}, {{0, 0, 0}, {4, 3, 1}}}, extent));
  // As many points as needed, but some outside.
  EXPECT_FALSE(covers(layout{{{0, 0, 0}, {4, 3, 1}}, {{1, 0, 1}, {4, 3, 1}}}, extent));
}

TEST(split, parts_are_even_and_complete) {
  for (const int extent : {1, 2, 7, 16, 31}) {
    for (const int parts : {1, 2, 3, 5, 7}) {
      int next = 0;
      for (int i = 0; i < parts; i++) {
        const auto [low, size] = split_range(extent, parts, i);
        EXPECT_EQ(low, next);
        EXPECT_GE(size, extent / parts);
        EXPECT_LE(size, extent / parts + 1);
        next += size;
      }
      EXPECT_EQ(next, extent);
    }
  }
}

TEST(split, a_cut_covers_the_array_and_keeps_owners) {
  const axes3 extent{8, 9, 10};
  layout here(6);
  for (int r = 0; r < 6; r++) {  // the z slabs, owned in reverse
    const auto [low, size] = split_range(10, 6, r);
    here[static_cast<std::size_t>(5 - r)] = {{0, 0, low}, {8, 9, size}};
  }
  for (const grid3& grid : grids(extent, 1u << 0, 6)) {
    const layout cells = cut(extent, grid, natural_order, here);
    EXPECT_TRUE(covers(cells, extent));
    EXPECT_TRUE(spans(cells, 0, extent));
  }
  EXPECT_EQ(cut(extent, {1, 1, 6}, natural_order, here), here);
}

TEST(split, grids_leave_the_mask_whole) {
  EXPECT_EQ(grids({8, 8, 8}, 0b011, 6), (std::vector<grid3>{{1, 1, 6}}));
  EXPECT_EQ(grids({8, 8, 8}, 0b001, 4), (std::vector<grid3>{{1, 1, 4}, {1, 2, 2}, {1, 4, 1}}));
  EXPECT_EQ(grids({8, 8, 3}, 0b011, 6), (std::vector<grid3>{{1, 1, 3}}));
  EXPECT_EQ(grids({8, 8, 8}, 0b111, 6), (std::vector<grid3>{{1, 1, 1}}));
}

// Every axis is transformed once, in a layout in which it is complete. Every layout covers the array, without the modes
// that are dropped. Boxes change only along axis 0 of a real transform and along axes of which modes are dropped, in
// the stage that transforms them.
void check_route(const route& chain, const fft_problem& problem) {
  std::multiset<int> transformed;
  bool real = problem.real_in;
  axes3 now = problem.extent;
  for (const stage& s : chain.stages) {
    EXPECT_EQ(s.real_before, real);
    EXPECT_TRUE(covers(s.before, now)) << chain.text();
    for (int a = 0; a < 3; a++) {
      const bool here = std::find(s.axes.begin(), s.axes.end(), a) != s.axes.end();
      EXPECT_EQ(s.kept[a], here ? problem.kept[a] : kept_modes{});
      if (!here) continue;
      EXPECT_TRUE(spans(s.before, a, now)) << chain.text();
      transformed.insert(a);
      if (a == 0 && problem.halves()) real = false;
    }
    for (const int a : s.axes) now[a] = problem.out_extent()[a];
    EXPECT_EQ(s.real_after, real);
    EXPECT_TRUE(covers(s.after, now)) << chain.text();
  }
  std::multiset<int> wanted;
  for (int a = 0; a < 3; a++) {
    if (problem.along[a] != OSHEN_FFT_NOTHING) wanted.insert(a);
  }
  EXPECT_EQ(transformed, wanted) << chain.text();
  EXPECT_TRUE(same_places(chain.stages.front().before, problem.in));
  EXPECT_TRUE(same_places(chain.stages.back().after, problem.out));
  EXPECT_EQ(steps_of(chain, {}).size(), chain.stages.size() - 1);
}

TEST(routes, all_candidates_are_complete_for_any_boxes) {
  random_source random(11);
  for (int i = 0; i < 60; i++) {
    const fft_problem problem = random_problem(random, 1 + random.below(7));
    const auto kind = static_cast<decomposition>(random.below(4));
    const std::vector<route> routes = candidates(problem, kind, machine_model{});
    ASSERT_FALSE(routes.empty());
    for (const route& chain : routes) check_route(chain, problem);
    for (std::size_t w = 1; w < routes.size(); w++) EXPECT_LE(routes[w - 1].cost, routes[w].cost);
  }
}

// A convolution transforms each axis once forward and once back, symmetric about the stage that turns.
TEST(routes, convolutions_turn_once) {
  random_source random(17);
  for (int i = 0; i < 40; i++) {
    fft_problem problem = random_problem(random, 1 + random.below(7));
    problem.convolves = true;
    const std::vector<route> routes = candidates(problem, decomposition::any, machine_model{});
    ASSERT_FALSE(routes.empty());
    for (const route& chain : routes) {
      const std::size_t n = chain.stages.size();
      ASSERT_EQ(n % 2, 1u);
      for (std::size_t s = 0; s < n; s++) {
        const stage &now = chain.stages[s], &mirror = chain.stages[n - 1 - s];
        EXPECT_EQ(now.turns(), s == n / 2);
        EXPECT_EQ(now.inverse, s > n / 2);
        EXPECT_TRUE(same_places(now.before, mirror.after)) << chain.text();
        EXPECT_EQ(now.real_before, mirror.real_after);
        EXPECT_EQ(std::multiset<int>(now.axes.begin(), now.axes.end()),
                  std::multiset<int>(mirror.axes.begin(), mirror.axes.end()));
      }
      const stage& turning = chain.stages[n / 2];
      EXPECT_TRUE(covers(turning.spectrum, problem.out_extent())) << chain.text();
      EXPECT_EQ(turning.real_spectrum, problem.real_out);
      EXPECT_FALSE(turning.axes.empty());
      EXPECT_TRUE(same_places(chain.stages.front().before, problem.in));
    }
  }
}

fft_problem bricks(int n, const grid3& grid) {
  fft_problem problem;
  problem.extent = {n, n, n};
  problem.in = cut(problem.extent, grid, natural_order, layout(static_cast<std::size_t>(grid[0] * grid[1] * grid[2])));
  problem.out = problem.in;
  return problem;
}

TEST(routes, the_usual_cases_take_few_moves) {
  EXPECT_EQ(candidates(bricks(64, {1, 1, 1}), decomposition::any, machine_model{})[0].exchanges(), 1);
  EXPECT_EQ(candidates(bricks(64, {1, 1, 2}), decomposition::any, machine_model{})[0].exchanges(), 2);
  EXPECT_LE(candidates(bricks(64, {1, 2, 2}), decomposition::any, machine_model{})[0].exchanges(), 3);
}

TEST(routes, one_fftw_plan_if_one_pe_has_all) {
  const auto whole = [](const fft_problem& problem) {
    const auto routes = candidates(problem, decomposition::any, machine_model{});
    return std::count_if(routes.begin(), routes.end(), [](const route& chain) { return chain.stages[0].at_once; });
  };
  fft_problem problem = bricks(32, {1, 1, 1});
  EXPECT_EQ(whole(problem), 1);
  EXPECT_TRUE(candidates(problem, decomposition::any, machine_model{})[0].stages[0].at_once);  // larger than any cache
  problem.real_in = true;
  EXPECT_EQ(whole(problem), 0);
  EXPECT_EQ(whole(bricks(32, {1, 1, 2})), 0);
  fft_problem moved = bricks(32, {1, 1, 1});
  moved.in.push_back(box{});
  moved.out.insert(moved.out.begin(), box{});
  EXPECT_EQ(whole(moved), 0);
}

TEST(routes, a_kind_is_given_where_it_exists) {
  const fft_problem cube = bricks(32, {2, 2, 2}), planes = bricks(32, {1, 1, 8});
  for (const auto kind : {decomposition::slabs, decomposition::bricks}) {
    for (const route& chain : candidates(cube, kind, machine_model{})) EXPECT_EQ(chain.kind, kind);
  }
  for (const route& chain : candidates(planes, decomposition::pencils, machine_model{})) {
    EXPECT_EQ(chain.kind, decomposition::pencils);
  }
}

// The grids of the layouts between the boxes, which are what AUTO chooses. A convolution comes back on the same ones.
TEST(routes, process_grids_are_those_between_the_boxes) {
  fft_problem problem = bricks(32, {1, 2, 2});
  const auto has = [&](const std::vector<grid3>& grids) {
    const auto routes = candidates(problem, decomposition::any, machine_model{});
    return std::ranges::any_of(routes, [&](const route& chain) { return chain.process_grids() == grids; });
  };
  for (const bool convolves : {false, true}) {
    problem.convolves = convolves;
    EXPECT_TRUE(has({{4, 1, 1}}) || has({{1, 4, 1}}));
    EXPECT_TRUE(has({{2, 1, 2}, {2, 2, 1}}) || has({{2, 2, 1}, {2, 1, 2}}));
  }
  problem = bricks(32, {1, 1, 1});
  for (const route& chain : candidates(problem, decomposition::any, machine_model{}))
    EXPECT_TRUE(chain.process_grids().empty()) << chain.text();
}

TEST(routes, bricks_have_few_partners_at_first) {
  const fft_problem problem = bricks(32, {2, 2, 2});
  const route chain = candidates(problem, decomposition::bricks, machine_model{})[0];
  for (std::size_t p = 0; p < 8; p++) {
    int peers = 0;
    for (const box& b : chain.stages[1].before) peers += !overlap(problem.in[p], b).empty();
    EXPECT_LE(peers, 2);
  }
}

// The reverse route undoes the last axis first. A real transform ends with axis 0, after which nothing is complex.
TEST(routes, the_reverse_route_ends_with_the_first_axis) {
  random_source random(13);
  for (int i = 0; i < 40; i++) {
    const fft_problem problem = random_problem(random, 1 + random.below(7));
    for (const route& chain : candidates(problem, decomposition::any, machine_model{})) {
      std::vector<int> undone, back;
      for (const stage& s : chain.stages) undone.insert(undone.begin(), s.axes.rbegin(), s.axes.rend());
      bool real = problem.real_out;
      for (const stage& s : reversed(chain).stages) {
        EXPECT_EQ(s.real_before, real) << chain.text();
        for (const int a : s.axes) {
          EXPECT_EQ(real, problem.real_out) << chain.text();
          real = problem.real_out || (problem.halves() && a == 0);
          back.push_back(a);
        }
        EXPECT_EQ(s.real_after, real) << chain.text();
      }
      EXPECT_EQ(back, undone) << chain.text();
    }
  }
}

TEST(routes, reversed_twice_is_the_same) {
  random_source random(5);
  const fft_problem problem = random_problem(random, 4);
  const route chain = candidates(problem, decomposition::any, machine_model{})[0];
  const route again = reversed(reversed(chain));
  ASSERT_EQ(again.stages.size(), chain.stages.size());
  for (std::size_t s = 0; s < chain.stages.size(); s++) {
    EXPECT_EQ(again.stages[s].axes, chain.stages[s].axes);
    EXPECT_EQ(again.stages[s].before, chain.stages[s].before);
  }
}

TEST(steps, one_pe_works_in_the_output) {
  fft_problem problem = bricks(512, {1, 1, 1});
  route chain = candidates(problem, decomposition::any, machine_model{})[0];
  ASSERT_GT(chain.exchanges(), 0);
  for (const step& s : steps_of(chain, {})) EXPECT_EQ(s.where, array::output);
  EXPECT_FALSE(needs_input_apart(chain, steps_of(chain, {})));
  problem.out[0].order = {2, 1, 0};
  chain = candidates(problem, decomposition::any, machine_model{})[0];
  EXPECT_FALSE(chain.stages[0].at_once);
  const std::vector<step> steps = steps_of(chain, {});
  // In place, another order would overwrite data that is still to be read.
  EXPECT_TRUE(steps[0].where == array::other || needs_input_apart(chain, steps));
}

TEST(modes, low_frequencies_are_kept) {
  EXPECT_EQ(lowest_modes(OSHEN_FFT_FOURIER, false, 12, 7), (kept_modes{12, 4, 3}));
  EXPECT_EQ(lowest_modes(OSHEN_FFT_FOURIER, false, 12, 6), (kept_modes{12, 3, 3}));
  EXPECT_EQ(lowest_modes(OSHEN_FFT_FOURIER, true, 7, 4), (kept_modes{7, 4, 0}));
  EXPECT_EQ(lowest_modes(OSHEN_FFT_DCT2, false, 12, 8), (kept_modes{12, 8, 0}));
  for (const int count : {0, 12}) EXPECT_FALSE(lowest_modes(OSHEN_FFT_FOURIER, false, 12, count).drops());
  const kept_modes seven{12, 4, 3};
  const int places[] = {0, 1, 2, 3, 9, 10, 11};
  for (int i = 0; i < 7; i++) EXPECT_EQ(seven.position(i), places[i]);
  EXPECT_EQ(kept_modes{}.position(5), 5);
}

// Kept and dropped parts together are a tile of all modes.
TEST(modes, parts_are_contiguous_and_complete) {
  random_source random(29);
  for (int i = 0; i < 200; i++) {
    axes3 all{1 + random.below(9), 1 + random.below(9), 1 + random.below(9)};
    kept3 kept{};
    box points{{}, all};
    for (int a = 0; a < 3; a++) {
      kept[a] = lowest_modes(OSHEN_FFT_FOURIER, random.once_in(3), all[a], random.below(all[a] + 1));
      if (kept[a].drops()) points.size[a] = kept[a].count();
    }
    std::set<axes3> places;
    const auto mark = [&](const box& b, const kept3& at) {
      axes3 p{};
      for (p[2] = b.low[2]; p[2] < b.end(2); p[2]++)
        for (p[1] = b.low[1]; p[1] < b.end(1); p[1]++)
          for (p[0] = b.low[0]; p[0] < b.end(0); p[0]++) places.insert(position_of(p, at));
    };
    std::size_t volume = 0;
    for (const box& part : contiguous_parts(points, kept)) {
      const axes3 low = position_of(part.low, kept);
      const axes3 last = position_of({part.end(0) - 1, part.end(1) - 1, part.end(2) - 1}, kept);
      for (int a = 0; a < 3; a++) EXPECT_EQ(last[a] - low[a], part.size[a] - 1);
      volume += part.volume();
      mark(part, kept);
    }
    EXPECT_EQ(volume, points.volume());
    EXPECT_EQ(places.size(), points.volume());
    for (const box& part : dropped_parts({{}, all}, kept)) {
      EXPECT_FALSE(part.empty());
      for (const axes3& p : std::set<axes3>(places)) EXPECT_TRUE(overlap(part, {p, {1, 1, 1}}).empty());
    }
    for (const box& part : dropped_parts({{}, all}, kept)) mark(part, {});
    EXPECT_EQ(places.size(), (box{{}, all}.volume()));
  }
}

TEST(tiles, cover_the_box_and_keep_the_bound) {
  random_source random(3);
  for (int i = 0; i < 50; i++) {
    const box of{{1, 2, 3}, {1 + random.below(40), 1 + random.below(40), 1 + random.below(40)}};
    const std::vector<int> axes = random.once_in(2) ? std::vector{2} : std::vector{0, 1};
    const axes3 size = tile_size(of, axes, 16, 32 << 10);
    std::size_t points = 0;
    for (const box& tile : tiles_of(of, size, of.order)) {
      EXPECT_EQ(overlap(tile, of).volume(), tile.volume());
      for (const int a : axes) EXPECT_EQ(tile.size[a], of.size[a]);
      for (int a = 0; a < 3; a++) EXPECT_LE(tile.size[a], size[a]);
      points += tile.volume();
    }
    EXPECT_EQ(points, of.volume());
    const std::size_t bytes = 16 * static_cast<std::size_t>(size[0] * size[1] * size[2]);
    EXPECT_TRUE(bytes <= 32 << 10 || axes.size() == 2);
  }
  EXPECT_TRUE(tiles_of(box{}, tile_size(box{}, {0}, 16, 1 << 10), natural_order).empty());
}

TEST(tiles, rows_begin_in_different_cache_sets) {
  for (int n = 1; n < 300; n++) {
    EXPECT_GE(padded(n, 16), n);
    EXPECT_EQ(padded(n, 16) / 4 % 2, 1);
    EXPECT_EQ(padded(n, 8) / 8 % 2, 1);
  }
}

template <class Element>
void check_copy(random_source& random) {
  box from, to;
  for (int a = 0; a < 3; a++) from.size[a] = to.size[a] = 1 + random.below(20);
  std::shuffle(from.order.begin(), from.order.end(), random.engine);
  std::shuffle(to.order.begin(), to.order.end(), random.engine);
  std::vector<Element> source(from.volume()), target(to.volume());
  std::vector<std::byte> marks(sizeof(Element));
  for (std::size_t i = 0; i < source.size(); i++) std::memcpy(&source[i], &i, std::min(sizeof i, sizeof(Element)));
  block_copy block{from.size, from.strides(), to.strides()};
  for (auto& s : block.from) s *= static_cast<std::ptrdiff_t>(sizeof(Element));
  for (auto& s : block.to) s *= static_cast<std::ptrdiff_t>(sizeof(Element));
  copy(prepare_copy(block, sizeof(Element)), reinterpret_cast<std::byte*>(source.data()),
       reinterpret_cast<std::byte*>(target.data()));
  axes3 at{};
  for (at[2] = 0; at[2] < from.size[2]; at[2]++) {
    for (at[1] = 0; at[1] < from.size[1]; at[1]++) {
      for (at[0] = 0; at[0] < from.size[0]; at[0]++) {
        const auto i = static_cast<std::size_t>(from.offset(at)), j = static_cast<std::size_t>(to.offset(at));
        ASSERT_EQ(std::memcmp(&source[i], &target[j], sizeof(Element)), 0);
      }
    }
  }
}

struct sixteen {
  std::uint64_t words[2];
};

TEST(copies, every_order_to_every_order) {
  random_source random(17);
  for (int i = 0; i < 60; i++) {
    check_copy<std::uint32_t>(random);
    check_copy<std::uint64_t>(random);
    check_copy<sixteen>(random);
  }
}

// Rows of any length, from and to any offset in a cache line: the same bytes, and no others.
TEST(copies, streamed_rows_are_the_same) {
  random_source random(19);
  for (int i = 0; i < 400; i++) {
    const std::size_t element = std::size_t{4} << random.below(3);
    const std::size_t gap = element * static_cast<std::size_t>(random.below(9));
    const axes3 size{1 + random.below(70), 1 + random.below(3), 1 + random.below(3)};
    const auto row = static_cast<std::size_t>(size[0]) * element + gap;
    const auto step = [&](std::size_t pitch) {
      const auto bytes = static_cast<std::ptrdiff_t>(pitch);
      return strides3{static_cast<std::ptrdiff_t>(element), bytes, bytes * size[1]};
    };
    const block_copy block{size, step(row), step(row + element)};
    const std::size_t first = element * static_cast<std::size_t>(random.below(16)), room = 9 * (row + element) + first;
    std::vector<std::byte> source(room), plain(room), streamed(room);
    for (std::size_t b = 0; b < room; b++) source[b] = static_cast<std::byte>(b * 7 + b / 251);
    copy(prepare_copy(block, element), source.data(), plain.data() + first);
    stream(prepare_copy(block, element), source.data(), streamed.data() + first);
    stream_fence();
    ASSERT_EQ(plain, streamed) << "elements of " << element << " bytes in rows of " << size[0];
  }
}

// The messages that one PE sends are those that the other expects, element by element.
TEST(messages, both_ends_agree) {
  random_source random(23);
  for (int i = 0; i < 40; i++) {
    const int pes = 1 + random.below(6);
    int extent[3];
    for (int& e : extent) e = 1 + random.below(9);
    const layout from = read(random_boxes(random, extent, pes));
    const layout to = read(random_boxes(random, extent, pes));
    std::size_t bytes = 0;
    for (int p = 0; p < pes; p++) {
      for (const auto& s : messages(from, to, p, 8).sends) {
        const auto theirs = messages(from, to, s.peer, 8).receives;
        const auto match =
            std::find_if(theirs.begin(), theirs.end(), [&](const oshen_message_t& r) { return r.peer == p; });
        ASSERT_NE(match, theirs.end());
        EXPECT_EQ(match->bytes, s.bytes);
        EXPECT_TRUE(std::equal(s.box.extent, s.box.extent + 3, match->box.extent));
        bytes += s.bytes;
      }
    }
    EXPECT_EQ(bytes, 8 * static_cast<std::size_t>(extent[0] * extent[1] * extent[2]));
  }
}

}  // namespace
}  // namespace oshen::fft
