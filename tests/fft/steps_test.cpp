// Runs routes on simulated PEs in every order that their syncs permit. Each point read must be the expected one, so no
// PE reads or writes too early.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fft/geometry/cost.hpp"
#include "fft/geometry/split.hpp"
#include "fft/geometry/steps.hpp"
#include "random_problem.hpp"

namespace oshen::fft {
namespace {

// The content of an array element: which point, after which stage of which run.
struct content {
  axes3 point;
  std::size_t stage;
  int run;
  auto operator<=>(const content&) const = default;
};

struct route_steps {
  route chain;
  std::vector<step> steps;
};

// An array of a PE, by offset in real numbers, so that complex elements take two.
using storage = std::map<std::ptrdiff_t, content>;

class simulation {
 public:
  simulation(const route_steps& there, const route_steps& back, random_source& random)
      : directions_{there, back}, random_(random), n_(there.chain.stages[0].before.size()) {
    ends_local_ = ends_local(there.chain, there.steps) && ends_local(back.chain, back.steps);
    for (std::size_t p = 0; p < n_; p++) {
      pes_.push_back({});
      for (const int other : partners_of(there.chain, there.steps, back.chain, back.steps, static_cast<int>(p)))
        pes_[p].partners.insert(static_cast<std::size_t>(other));
    }
  }

  // Several runs one after the other on each PE, alternating between the two directions.
  void run_all(int runs) {
    runs_ = runs;
    for (;;) {
      std::vector<std::size_t> able;
      for (std::size_t p = 0; p < n_; p++) {
        if (pes_[p].run < runs && can_advance(pes_[p])) able.push_back(p);
      }
      if (able.empty()) break;
      advance(able[static_cast<std::size_t>(random_.below(static_cast<int>(able.size())))]);
    }
    for (const pe& p : pes_) EXPECT_EQ(p.run, runs) << "deadlock";
  }

 private:
  struct pe {
    int run = 0;
    std::size_t stage = 0;
    int half_index = 0;  // each stage runs in two halves, so that other PEs run in between
    bool swapped = false;
    int syncs = 0;  // syncs that it has entered
    int waits = 0;  // until all partners have entered as many
    storage work[2], output;
    std::set<std::size_t> partners;
  };

  bool can_advance(const pe& p) const {
    return std::all_of(p.partners.begin(), p.partners.end(),
                       [&](std::size_t other) { return pes_[other].syncs >= p.waits; });
  }

  const route_steps& of(const pe& p) const { return directions_[p.run % 2]; }

  void advance(std::size_t number) {
    pe& p = pes_[number];
    const route_steps& w = of(p);
    if (p.stage == 0 && p.half_index == 0) p.output.clear();  // the owner may have used it
    const bool moves = p.stage < w.steps.size() && w.steps[p.stage].where == array::other;
    const bool from_swapped = p.swapped;
    const bool to_swapped = moves && swaps(w.steps, p.stage, ends_local_) ? !p.swapped : p.swapped;
    run_half(number, from_swapped, to_swapped);
    if (p.half_index++ == 0) return;
    p.half_index = 0;
    p.swapped = to_swapped;
    if (p.stage < w.steps.size() && w.steps[p.stage].syncs) p.waits = ++p.syncs;
    if (p.stage++ < w.steps.size()) return;
    check_output(number);
    p.stage = 0;
    // Its arrays may be freed at once only if no PE reads there any more.
    if (++p.run == runs_ && ends_local_) p.work[0].clear(), p.work[1].clear();
  }

  // The points of one half of a stage, cut across an axis that it does not transform.
  box half_of_stage(const stage& s, const box& points, int part) const {
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

  storage& array_of(std::size_t number, const step& s, bool swapped) {
    return s.where == array::output ? pes_[number].output : pes_[number].work[swapped];
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

  void run_half(std::size_t number, bool from_swapped, bool to_swapped) {
    pe& p = pes_[number];
    const route_steps& w = of(p);
    const stage& s = w.chain.stages[p.stage];
    const int me = static_cast<int>(number);
    const bool last = p.stage == w.steps.size();
    std::size_t points = 0;
    for (const chunk& from : sources_of(w.chain, w.steps, p.stage, me)) {
      points += from.points.volume();
      if (p.stage > 0) read(p, from, half_of_stage(s, s.before[number], p.half_index), from_swapped);
    }
    const bool only_copies = last && s.axes.empty() && p.stage > 0;
    if (!only_copies) {
      EXPECT_EQ(points, s.before[number].volume()) << w.chain.text();
    }
    if (only_copies) return collect(number, from_swapped);
    for (const chunk& to : targets_of(w.chain, w.steps, p.stage, me)) {
      const bool own = last || (w.steps[p.stage].own_to_output && to.pe == me);
      storage& target = own ? p.output : array_of(static_cast<std::size_t>(to.pe), w.steps[p.stage], to_swapped);
      write(p, to, half_of_stage(s, s.after[number], p.half_index), target);
    }
  }

  void read(const pe& p, const chunk& from, const box& half, bool swapped) {
    const route_steps& w = of(p);
    const int unit = w.chain.stages[p.stage].real_before ? 1 : 2;
    const storage& array = array_of(static_cast<std::size_t>(from.pe), w.steps[p.stage - 1], swapped);
    each(overlap(half, from.points), [&](const axes3& at) {
      for (int i = 0; i < unit; i++) {
        const auto found = array.find(from.array_box.offset(at) * unit + i);
        const content expected{at, p.stage - 1, p.run};
        if (found == array.end() || found->second != expected) wrong_++;
      }
    });
    EXPECT_EQ(wrong_, 0) << w.chain.text() << ", stage " << p.stage;
  }

  void write(const pe& p, const chunk& to, const box& half, storage& target) {
    const int unit = of(p).chain.stages[p.stage].real_after ? 1 : 2;
    each(overlap(half, to.points), [&](const axes3& at) {
      for (int i = 0; i < unit; i++) target[to.array_box.offset(at) * unit + i] = {at, p.stage, p.run};
    });
  }

  // The last stage if it only copies: some points are already in the output.
  void collect(std::size_t number, bool swapped) {
    pe& p = pes_[number];
    const route_steps& w = of(p);
    if (p.half_index != 0) return;
    for (const chunk& from : sources_of(w.chain, w.steps, p.stage, static_cast<int>(number))) {
      read(p, from, from.points, swapped);
      p.stage--;  // it passes on the results of the last transforming stage
      chunk to = from;
      to.array_box = w.chain.stages.back().after[number];
      write(p, to, from.points, p.output);
      p.stage++;
    }
  }

  void check_output(std::size_t number) {
    const pe& p = pes_[number];
    const route& chain = of(p).chain;
    const stage& last = chain.stages.back();
    const int unit = last.real_after ? 1 : 2;
    const bool copies = last.axes.empty() && chain.stages.size() > 1;
    const content stamp{{}, chain.stages.size() - (copies ? 2 : 1), p.run};
    const box& mine = last.after[number];
    std::size_t right = 0;
    each(mine, [&](const axes3& at) {
      const auto found = p.output.find(mine.offset(at) * unit);
      right += found != p.output.end() && found->second == content{at, stamp.stage, stamp.run};
    });
    EXPECT_EQ(right, mine.volume()) << chain.text();
  }

  route_steps directions_[2];
  random_source& random_;
  std::size_t n_;
  bool ends_local_ = false;
  std::vector<pe> pes_;
  int runs_ = 0, wrong_ = 0;
};

void simulate(const route& chain, const peer_access& forward, const peer_access& backward, random_source& random) {
  const route back = reversed(chain);
  simulation(route_steps{chain, steps_of(chain, forward)}, route_steps{back, steps_of(back, backward)}, random)
      .run_all(4);
}

TEST(simulation, every_stage_of_all_candidates_finds_its_points) {
  random_source random(41);
  for (int i = 0; i < 40; i++) {
    fft_problem problem = random_problem(random, 1 + random.below(6), 6);
    problem.symmetric_out = random.once_in(2);
    const bool symmetric_back = random.once_in(2);
    for (const route& chain : candidates(problem, decomposition::any, machine_model{}))
      simulate(chain, {true, problem.symmetric_out}, {true, symmetric_back}, random);
  }
}

TEST(simulation, every_stage_of_convolutions_finds_its_points) {
  random_source random(47);
  for (int i = 0; i < 40; i++) {
    fft_problem problem = random_problem(random, 1 + random.below(6), 6);
    problem.convolves = true;
    problem.symmetric_in = random.once_in(2);
    std::vector<route> routes = candidates(problem, decomposition::any, machine_model{});
    std::shuffle(routes.begin(), routes.end(), random.engine);
    for (std::size_t w = 0; w < std::min<std::size_t>(routes.size(), 12); w++) {
      const route_steps it{routes[w], steps_of(routes[w], {true, problem.symmetric_in})};
      simulation(it, it, random).run_all(4);
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

const route& first(const std::vector<route>& routes, bool gather, int exchanges) {
  return *std::find_if(routes.begin(), routes.end(),
                       [&](const route& w) { return w.gather == gather && w.exchanges() == exchanges; });
}

TEST(steps, gathering_slabs_need_one_array_and_copy_half) {
  const fft_problem problem = bricks(16, {1, 1, 2});
  const route chain = first(candidates(problem, decomposition::slabs, machine_model{}), true, 2);
  const std::vector<step> steps = steps_of(chain, {});
  EXPECT_EQ(steps[0].where, array::other);
  EXPECT_EQ(steps[1].where, array::same);
  EXPECT_TRUE(steps[0].syncs && steps[1].syncs);
  EXPECT_TRUE(ends_local(chain, steps) && !swaps(steps, 0, true));
  const std::uint64_t mine = problem.in[0].volume() * problem.complex_bytes;
  EXPECT_EQ(traffic_of(chain, steps, problem, 0, 0).read, mine);
  const stage_traffic middle = traffic_of(chain, steps, problem, 1, 0), last = traffic_of(chain, steps, problem, 2, 0);
  EXPECT_EQ(middle.remote, mine);  // half of what it reads and half of what it writes
  EXPECT_EQ(middle.in_place, mine / 2);
  EXPECT_EQ(last.read, mine / 2);
  EXPECT_EQ(last.written, mine / 2);
}

TEST(steps, stages_work_in_a_symmetric_output) {
  const fft_problem problem = bricks(16, {1, 1, 2});
  const route chain = first(candidates(problem, decomposition::slabs, machine_model{}), true, 2);
  const std::vector<step> steps = steps_of(chain, {true, true});
  for (const step& s : steps) EXPECT_EQ(s.where, array::output);
  EXPECT_EQ(traffic_of(chain, steps, problem, 2, 1).read, 0u);
  EXPECT_TRUE(shares_output(steps));
  // not if exchange plans move the data
  EXPECT_FALSE(shares_output(steps_of(chain, {false, true})));
}

TEST(steps, pushed_results_go_to_the_next_layout) {
  const fft_problem problem = bricks(16, {1, 1, 2});
  const route chain = first(candidates(problem, decomposition::slabs, machine_model{}), false, 2);
  const std::vector<step> steps = steps_of(chain, {true, true});
  EXPECT_EQ(steps[0].where, array::other);
  EXPECT_EQ(steps[0].written, chain.stages[1].before);
  EXPECT_EQ(steps[1].where, array::output);  // no PE writes there before all have synced
  EXPECT_TRUE(steps_of(chain, {}).back().own_to_output);
}

TEST(steps, plans_move_everything) {
  random_source random(43);
  for (int i = 0; i < 20; i++) {
    const fft_problem problem = random_problem(random, 1 + random.below(6));
    for (const route& chain : candidates(problem, decomposition::any, machine_model{})) {
      for (const step& s : steps_of(chain, {false, random.once_in(2)})) {
        EXPECT_FALSE(s.own_to_output);
        EXPECT_TRUE(s.where == array::other || !s.syncs);
      }
    }
  }
}

}  // namespace
}  // namespace oshen::fft
