// Routes run by simulated PEs in every order that their meetings allow: each point read must be the
// one that was to be there, so nobody reads too early and nobody writes too early.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fft/cost.hpp"
#include "fft/split.hpp"
#include "fft/steps.hpp"
#include "random_problem.hpp"

namespace oshen::fft {
namespace {

// What a PE holds at a place: which point, after which stage of which run.
struct content {
  axes3 point;
  std::size_t stage;
  int run;
  auto operator<=>(const content&) const = default;
};

struct heading {
  route way;
  std::vector<step> steps;
};

// An array in the memory of a PE; places in real numbers, so that complex ones take two.
using storage = std::map<std::ptrdiff_t, content>;

class simulation {
 public:
  simulation(const heading& there, const heading& back, random_source& random)
      : ways_{there, back}, random_(random), n_(there.way.stages[0].before.size()) {
    at_home_ = ends_at_home(there.way, there.steps) && ends_at_home(back.way, back.steps);
    for (std::size_t p = 0; p < n_; p++) {
      pes_.push_back({});
      for (const int other : partners_of(there.way, there.steps, back.way, back.steps, static_cast<int>(p)))
        pes_[p].partners.insert(static_cast<std::size_t>(other));
    }
  }

  // Several runs, one after the other on each PE, both ways in turn.
  void go(int runs) {
    runs_ = runs;
    for (;;) {
      std::vector<std::size_t> able;
      for (std::size_t p = 0; p < n_; p++) {
        if (pes_[p].run < runs && may_go_on(pes_[p])) able.push_back(p);
      }
      if (able.empty()) break;
      advance(able[static_cast<std::size_t>(random_.below(static_cast<int>(able.size())))]);
    }
    for (const pe& p : pes_) EXPECT_EQ(p.run, runs) << "somebody waits for ever";
  }

 private:
  struct pe {
    int run = 0;
    std::size_t stage = 0;
    int part = 0;  // of the stage: two, so that others come in between
    bool turned = false;
    int told = 0;   // meetings that it has come to
    int waits = 0;  // for partners to have come to as many
    storage work[2], output;
    std::set<std::size_t> partners;
  };

  bool may_go_on(const pe& p) const {
    return std::all_of(p.partners.begin(), p.partners.end(),
                       [&](std::size_t other) { return pes_[other].told >= p.waits; });
  }

  const heading& of(const pe& p) const { return ways_[p.run % 2]; }

  void advance(std::size_t number) {
    pe& p = pes_[number];
    const heading& w = of(p);
    if (p.stage == 0 && p.part == 0) p.output.clear();  // its owner did as it liked with it
    const bool moves = p.stage < w.steps.size() && w.steps[p.stage].where == array::other;
    const bool from_turned = p.turned;
    const bool to_turned = moves && swaps(w.steps, p.stage, at_home_) ? !p.turned : p.turned;
    run_part(number, from_turned, to_turned);
    if (p.part++ == 0) return;
    p.part = 0;
    p.turned = to_turned;
    if (p.stage < w.steps.size() && w.steps[p.stage].syncs) p.waits = ++p.told;
    if (p.stage++ < w.steps.size()) return;
    check_output(number);
    p.stage = 0;
    // Its arrays may be gone at once only if nobody reads there any more.
    if (++p.run == runs_ && at_home_) p.work[0].clear(), p.work[1].clear();
  }

  // Points of a stage in two parts, cut across an axis that it does not transform.
  box part_of_stage(const stage& s, const box& points, int part) const {
    int axis = 2;
    for (int a = 0; a < 3; a++) {
      const bool transformed = std::find(s.axes.begin(), s.axes.end(), a) != s.axes.end();
      if (!transformed && points.size[a] > 1) axis = a;
    }
    box half = points;
    const bool whole = std::find(s.axes.begin(), s.axes.end(), axis) != s.axes.end();
    const int first = whole ? points.size[axis] : points.size[axis] / 2;
    half.size[axis] = part == 0 ? first : points.size[axis] - first;
    if (part != 0) half.low[axis] += first;
    return half;
  }

  storage& array_of(std::size_t number, const step& s, bool turned) {
    return s.where == array::output ? pes_[number].output : pes_[number].work[turned];
  }

  template <class Visit>
  static void each(const box& b, Visit visit) {
    axes3 at{};
    for (at[2] = b.low[2]; at[2] < b.end(2); at[2]++) {
      for (at[1] = b.low[1]; at[1] < b.end(1); at[1]++) {
        for (at[0] = b.low[0]; at[0] < b.end(0); at[0]++) visit(at);
      }
    }
  }

  void run_part(std::size_t number, bool from_turned, bool to_turned) {
    pe& p = pes_[number];
    const heading& w = of(p);
    const stage& s = w.way.stages[p.stage];
    const int me = static_cast<int>(number);
    const bool last = p.stage == w.steps.size();
    std::size_t points = 0;
    for (const piece& from : sources_of(w.way, w.steps, p.stage, me)) {
      points += from.part.volume();
      if (p.stage > 0) read(p, from, part_of_stage(s, s.before[number], p.part), from_turned);
    }
    const bool only_copies = last && s.axes.empty() && p.stage > 0;
    if (!only_copies) {
      EXPECT_EQ(points, s.before[number].volume()) << w.way.text();
    }
    if (only_copies) return collect(number, from_turned);
    for (const piece& to : targets_of(w.way, w.steps, p.stage, me)) {
      const bool own = last || (w.steps[p.stage].own_to_output && to.pe == me);
      storage& goal =
          own ? p.output : array_of(static_cast<std::size_t>(to.pe), w.steps[p.stage], to_turned);
      write(p, to, part_of_stage(s, s.after[number], p.part), goal);
    }
  }

  void read(const pe& p, const piece& from, const box& half, bool turned) {
    const heading& w = of(p);
    const int unit = w.way.stages[p.stage].real_before ? 1 : 2;
    const storage& place =
        array_of(static_cast<std::size_t>(from.pe), w.steps[p.stage - 1], turned);
    each(overlap(half, from.part), [&](const axes3& at) {
      for (int i = 0; i < unit; i++) {
        const auto found = place.find(from.whole.offset(at) * unit + i);
        const content expected{at, p.stage - 1, p.run};
        if (found == place.end() || found->second != expected) wrong_++;
      }
    });
    EXPECT_EQ(wrong_, 0) << w.way.text() << ", stage " << p.stage;
  }

  void write(const pe& p, const piece& to, const box& half, storage& goal) {
    const int unit = of(p).way.stages[p.stage].real_after ? 1 : 2;
    each(overlap(half, to.part), [&](const axes3& at) {
      for (int i = 0; i < unit; i++) goal[to.whole.offset(at) * unit + i] = {at, p.stage, p.run};
    });
  }

  // The last stage when it only copies: some points are in the output already.
  void collect(std::size_t number, bool turned) {
    pe& p = pes_[number];
    const heading& w = of(p);
    if (p.part != 0) return;
    for (const piece& from : sources_of(w.way, w.steps, p.stage, static_cast<int>(number))) {
      read(p, from, from.part, turned);
      p.stage--;  // it carries on what the last transforming stage made
      piece to = from;
      to.whole = w.way.stages.back().after[number];
      write(p, to, from.part, p.output);
      p.stage++;
    }
  }

  void check_output(std::size_t number) {
    const pe& p = pes_[number];
    const route& way = of(p).way;
    const stage& last = way.stages.back();
    const int unit = last.real_after ? 1 : 2;
    const bool copies = last.axes.empty() && way.stages.size() > 1;
    const content stamp{{}, way.stages.size() - (copies ? 2 : 1), p.run};
    const box& mine = last.after[number];
    std::size_t right = 0;
    each(mine, [&](const axes3& at) {
      const auto found = p.output.find(mine.offset(at) * unit);
      right += found != p.output.end() && found->second == content{at, stamp.stage, stamp.run};
    });
    EXPECT_EQ(right, mine.volume()) << way.text();
  }

  heading ways_[2];
  random_source& random_;
  std::size_t n_;
  bool at_home_ = false;
  std::vector<pe> pes_;
  int runs_ = 0, wrong_ = 0;
};

void simulate(const route& way, const peer_access& forward, const peer_access& backward,
              random_source& random) {
  const route back = reversed(way);
  simulation(heading{way, steps_of(way, forward)}, heading{back, steps_of(back, backward)}, random)
      .go(4);
}

TEST(simulation, all_candidates_find_what_they_need) {
  random_source random(41);
  for (int i = 0; i < 40; i++) {
    problem what = random_problem(random, 1 + random.below(6), 6);
    what.symmetric_out = random.once_in(2);
    const bool symmetric_back = random.once_in(2);
    for (const route& way : candidates(what, decomposition::any, machine{}))
      simulate(way, {true, what.symmetric_out}, {true, symmetric_back}, random);
  }
}

TEST(simulation, convolutions_find_what_they_need) {
  random_source random(47);
  for (int i = 0; i < 40; i++) {
    problem what = random_problem(random, 1 + random.below(6), 6);
    what.convolves = true;
    what.symmetric_in = random.once_in(2);
    std::vector<route> ways = candidates(what, decomposition::any, machine{});
    std::shuffle(ways.begin(), ways.end(), random.engine);
    for (std::size_t w = 0; w < std::min<std::size_t>(ways.size(), 12); w++) {
      const heading it{ways[w], steps_of(ways[w], {true, what.symmetric_in})};
      simulation(it, it, random).go(4);
    }
  }
}

problem bricks(int n, const grid3& grid) {
  problem what;
  what.extent = {n, n, n};
  what.in = cut(what.extent, grid, natural_order,
                layout(static_cast<std::size_t>(grid[0] * grid[1] * grid[2])));
  what.out = what.in;
  return what;
}

const route& first(const std::vector<route>& ways, bool pull, int exchanges) {
  return *std::find_if(ways.begin(), ways.end(), [&](const route& w) {
    return w.pull == pull && w.exchanges() == exchanges;
  });
}

TEST(steps, gathering_slabs_need_one_array_and_copy_half) {
  const problem what = bricks(16, {1, 1, 2});
  const route way = first(candidates(what, decomposition::slabs, machine{}), true, 2);
  const std::vector<step> steps = steps_of(way, {});
  EXPECT_EQ(steps[0].where, array::other);
  EXPECT_EQ(steps[1].where, array::same);
  EXPECT_TRUE(steps[0].syncs && steps[1].syncs);
  EXPECT_TRUE(ends_at_home(way, steps) && !swaps(steps, 0, true));
  const std::uint64_t mine = what.in[0].volume() * what.complex_bytes;
  EXPECT_EQ(burden_of(way, steps, what, 0, 0).read, mine);
  const burden middle = burden_of(way, steps, what, 1, 0), last = burden_of(way, steps, what, 2, 0);
  EXPECT_EQ(middle.foreign, mine);  // half of what it reads, and of what it writes
  EXPECT_EQ(middle.in_place, mine / 2);
  EXPECT_EQ(last.read, mine / 2);
  EXPECT_EQ(last.written, mine / 2);
}

TEST(steps, a_symmetric_output_is_worked_in) {
  const problem what = bricks(16, {1, 1, 2});
  const route way = first(candidates(what, decomposition::slabs, machine{}), true, 2);
  const std::vector<step> steps = steps_of(way, {true, true});
  for (const step& s : steps) EXPECT_EQ(s.where, array::output);
  EXPECT_EQ(burden_of(way, steps, what, 2, 1).read, 0u);
  EXPECT_TRUE(shares_output(steps));
  // Not where exchange plans move the data.
  EXPECT_FALSE(shares_output(steps_of(way, {false, true})));
}

TEST(steps, pushed_results_go_to_their_places_at_once) {
  const problem what = bricks(16, {1, 1, 2});
  const route way = first(candidates(what, decomposition::slabs, machine{}), false, 2);
  const std::vector<step> steps = steps_of(way, {true, true});
  EXPECT_EQ(steps[0].where, array::other);
  EXPECT_EQ(steps[0].written, way.stages[1].before);
  EXPECT_EQ(steps[1].where, array::output);  // nobody writes there before all have met
  EXPECT_TRUE(steps_of(way, {}).back().own_to_output);
}

TEST(steps, plans_move_everything) {
  random_source random(43);
  for (int i = 0; i < 20; i++) {
    const problem what = random_problem(random, 1 + random.below(6));
    for (const route& way : candidates(what, decomposition::any, machine{})) {
      for (const step& s : steps_of(way, {false, random.once_in(2)})) {
        EXPECT_FALSE(s.own_to_output);
        EXPECT_TRUE(s.where == array::other || !s.syncs);
      }
    }
  }
}

}  // namespace
}  // namespace oshen::fft
