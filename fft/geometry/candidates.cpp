// Enumerates the candidate routes: the axes in every sensible order, one, two or three at a time. A stage uses the
// caller's boxes if they are complete along its axes, else slabs, pencils or regrouped bricks.
#include <algorithm>
#include <optional>

#include "fft/geometry/cost.hpp"
#include "fft/geometry/split.hpp"

namespace oshen::fft {
namespace {

// A tile that holds whole planes should stay in the second-level cache, with room for data that streams past. This is
// a quarter more than 256 x 256 complex doubles.
constexpr std::size_t fused_bytes = 1310720;
constexpr int narrowest_run = 4;  // elements along axis 0 if that is not transformed

unsigned mask_of(const std::vector<int>& axes) {
  unsigned mask = 0;
  for (const int a : axes) mask |= 1u << a;
  return mask;
}

// The axes that are transformed; at least one.
std::vector<int> transformed_axes(const fft_problem& problem) {
  std::vector<int> axes;
  for (int a = 0; a < 3; a++) {
    if (problem.along[a] != OSHEN_FFT_NOTHING) axes.push_back(a);
  }
  return axes;
}

class enumeration {
 public:
  enumeration(const fft_problem& problem, std::vector<route>& found)
      : problem_(problem), n_(static_cast<int>(problem.in.size())), found_(found) {}

  void run() {
    std::vector<int> order = transformed_axes(problem_);
    if (problem_.is_matrix) return start({1, 0}, {1, 1});  // columns, then rows: see matrix.hpp
    add_at_once(order);
    do {
      // A real axis becomes complex before any other axis is transformed.
      if (problem_.halves() && order[0] != 0) continue;
      for (const std::vector<int>& sizes : splits(order.size())) start(order, sizes);
    } while (std::next_permutation(order.begin(), order.end()));
  }

 private:
  struct state {
    std::vector<stage> stages;
    std::optional<grid3> grid;  // of the last layout
    bool real;                  // whether elements are real at the end of `stages`
    unsigned done = 0;          // mask of the axes that are transformed there
    bool slabs = false, pencils = false, regrouped = false;
  };
  using groups = std::vector<std::vector<int>>;

  // The ways to divide the axes into groups that are transformed together, as group sizes.
  static std::vector<std::vector<int>> splits(std::size_t axes) {
    if (axes == 1) return {{1}};
    if (axes == 2) return {{1, 1}, {2}};
    return {{1, 1, 1}, {1, 2}, {2, 1}, {3}};
  }

  // If each PE has all or nothing of the array before and after, one FFTW plan for all axes is a candidate too.
  void add_at_once(const std::vector<int>& axes) {
    const std::vector<int> all{0, 1, 2};
    const auto fourier = [&](int a) { return problem_.along[a] == OSHEN_FFT_FOURIER; };
    if (problem_.real_in || problem_.drops() || !std::all_of(axes.begin(), axes.end(), fourier)) return;
    const auto roomy = [](const box& b) { return b.room != axes3{}; };
    if (std::any_of(problem_.in.begin(), problem_.in.end(), roomy)) return;
    if (std::any_of(problem_.out.begin(), problem_.out.end(), roomy)) return;
    if (!whole(problem_.in, all, problem_.extent) || !whole(problem_.out, all, problem_.extent)) return;
    const auto as_before = [](const box& a, const box& b) { return a.empty() == b.empty(); };
    if (!std::equal(problem_.in.begin(), problem_.in.end(), problem_.out.begin(), as_before)) return;
    found_.push_back({decomposition::any, {{problem_.in, problem_.out, axes, problem_.along, false, false, true}}, 0});
  }

  void start(const std::vector<int>& order, const std::vector<int>& sizes) {
    groups todo;
    std::size_t next = 0;
    for (const int size : sizes) {
      std::vector<int> group;
      while (std::ssize(group) < size) group.push_back(order[next++]);
      todo.push_back(group);
    }
    state s{{}, grid_of(problem_.in), problem_.real_in};
    if (whole(problem_.in, todo[0], problem_.extent)) {
      add(s, problem_.in, todo[0]);
      todo.erase(todo.begin());
    } else {
      add(s, problem_.in, {});
    }
    go_on(s, todo);
  }

  static bool whole(const layout& boxes, const std::vector<int>& axes, const axes3& extent) {
    return std::all_of(axes.begin(), axes.end(), [&](int a) { return spans(boxes, a, extent); });
  }

  void go_on(const state& s, const groups& todo) {
    if (todo.empty()) return finish(s, {});
    const std::vector<int>& group = todo[0];
    // The last axes are transformed in the output boxes if the spectrum is complete along them there.
    if (todo.size() == 1 && whole(problem_.out, group, problem_.out_extent())) return finish(s, group);
    for (const grid3& grid : next_grids(s, group)) {
      state then = s;
      note(then, group, grid);
      const layout boxes = cut(extent_now(s), grid, work_order(group), s.stages.back().after);
      add(then, boxes, group);
      then.grid = grid;
      go_on(then, {todo.begin() + 1, todo.end()});
    }
  }

  axes3 extent_now(const state& s) const {
    const axes3 after = problem_.out_extent();
    axes3 extent = problem_.extent;
    for (int a = 0; a < 3; a++)
      if ((s.done >> a & 1) != 0) extent[a] = after[a];
    return extent;
  }

  static axes3 work_order(const std::vector<int>& group) {
    std::vector<int> order{0};
    for (const int a : group) {
      if (a != 0) order.push_back(a);
    }
    for (int a = 1; a < 3; a++) {
      if (std::find(order.begin(), order.end(), a) == order.end()) order.push_back(a);
    }
    return {order[0], order[1], order[2]};
  }

  // From a known grid, moves only the cuts of axes that must become complete, all to one other axis, so that PEs have
  // few partners. Otherwise all grids.
  std::vector<grid3> next_grids(const state& s, const std::vector<int>& group) const {
    const axes3 extent = extent_now(s);
    const unsigned mask = mask_of(group);
    if (!s.grid || s.stages.size() == 1) return grids(extent, mask, n_);
    std::vector<grid3> result;
    for (int to = 0; to < 3; to++) {
      if ((mask >> to & 1) != 0) continue;
      grid3 grid = *s.grid;
      for (const int a : group) {
        grid[to] *= grid[a];
        grid[a] = 1;
      }
      if (grid[to] <= extent[to]) result.push_back(grid);
    }
    return result.empty() ? grids(extent, mask, n_) : result;
  }

  void note(state& s, const std::vector<int>& group, const grid3& grid) const {
    const auto cut_axes = std::count_if(grid.begin(), grid.end(), [](int parts) { return parts > 1; });
    if (s.stages.size() == 1 && s.grid && group.size() == 1 && refines(*s.grid, grid, group[0])) {
      s.regrouped = true;
    }
    if (group.size() > 1 || cut_axes < 2) s.slabs = true;
    if (cut_axes >= 2) s.pencils = true;
  }

  // Whether the cuts of axis `gone` went to one other axis, so that data moves within rows of bricks only.
  static bool refines(const grid3& from, const grid3& to, int gone) {
    if (from[gone] == 1) return false;
    int grown = 0;
    for (int a = 0; a < 3; a++) {
      if (a == gone || to[a] == from[a]) continue;
      if (to[a] != from[a] * from[gone]) return false;
      grown++;
    }
    return grown == 1;
  }

  // Adds the axes of one layout: as one pass if a tile with all of them complete is small, else as several passes.
  void add(state& s, const layout& boxes, const std::vector<int>& axes) const {
    if (axes.empty()) return add_pass(s, boxes, {});
    std::vector<int> pass;
    layout now = boxes;
    for (const int a : axes) {
      std::vector<int> more = pass;
      more.push_back(a);
      if (!pass.empty() && tile_bytes(more) > fused_bytes) {
        add_pass(s, now, pass);
        now = s.stages.back().after;
        more = {a};
      }
      pass = more;
    }
    add_pass(s, now, pass);
  }

  std::size_t tile_bytes(const std::vector<int>& axes) const {
    std::size_t bytes = problem_.complex_bytes;
    bool has_0 = false;
    for (const int a : axes) {
      bytes *= static_cast<std::size_t>(problem_.extent[a]);
      has_0 = has_0 || a == 0;
    }
    return has_0 ? bytes : bytes * narrowest_run;
  }

  void add_pass(state& s, const layout& boxes, const std::vector<int>& axes) const {
    stage made{boxes, boxes, axes, problem_.along, s.real, s.real};
    for (const int a : axes) {
      if (changes_along(s, a)) resize(made.after, a, problem_.out_extent()[a]);
      made.kept[a] = problem_.kept[a];
      s.done |= 1u << a;
      if (a == 0 && problem_.halves()) s.real = made.real_after = false;
    }
    if (problem_.is_matrix && mask_of(axes) == mask_of({1})) made.twiddles = problem_.extent[0] * problem_.extent[1];
    s.stages.push_back(std::move(made));
  }

  // Whether the transform along an axis changes the type or the number of elements.
  bool changes_along(const state& s, int a) const {
    return problem_.out_extent()[a] != problem_.extent[a] || (a == 0 && s.real && problem_.halves());
  }

  // Changes the size along an axis that is complete. The boxes become dense.
  static void resize(layout& boxes, int axis, int size) {
    for (box& b : boxes) {
      if (!b.empty()) b.size[axis] = size;
      b.room = {};
    }
  }

  void finish(state s, const std::vector<int>& axes) {
    const bool there = axes.empty() && ends_in_output(s);
    if (!there) add(s, output_before(s, axes), axes);
    route made{kind_of(s), std::move(s.stages), 0};
    made.stages.back().after = problem_.out;
    found_.push_back(std::move(made));
  }

  // The output boxes before these axes are transformed.
  layout output_before(const state& s, const std::vector<int>& axes) const {
    layout boxes = problem_.out;
    for (const int a : axes)
      if (changes_along(s, a)) resize(boxes, a, problem_.extent[a]);
    return boxes;
  }

  bool ends_in_output(const state& s) const {
    const layout& last = s.stages.back().after;
    return std::equal(
        last.begin(), last.end(), problem_.out.begin(), problem_.out.end(),
        [](const box& a, const box& b) { return (a.empty() && b.empty()) || (a.low == b.low && a.size == b.size); });
  }

  static decomposition kind_of(const state& s) {
    if (s.regrouped && s.pencils) return decomposition::bricks;
    if (s.pencils) return decomposition::pencils;
    return s.slabs ? decomposition::slabs : decomposition::any;
  }

  const fft_problem& problem_;
  int n_;
  std::vector<route>& found_;
};

// The same route with results kept where they are. Tiles follow the order of the arrays from which they are gathered.
route with_gather(route chain) {
  chain.gather = true;
  const layout& arrays = chain.stages[0].after;
  for (std::size_t s = 1; s + 1 < chain.stages.size(); s++) {
    for (layout* boxes : {&chain.stages[s].before, &chain.stages[s].after}) {
      for (std::size_t p = 0; p < boxes->size(); p++) {
        if (arrays[p].order[0] != (*boxes)[p].order[0]) (*boxes)[p].order = arrays[p].order;
      }
    }
  }
  return chain;
}

void add_gathering(const fft_problem& problem, std::vector<route>& all) {
  if (!problem.direct) return;
  const std::size_t pushed = all.size();
  for (std::size_t r = 0; r < pushed; r++) {
    route chain = with_gather(all[r]);
    const peer_access may{true, problem.symmetric_out};
    if (steps_of(chain, may) != steps_of(all[r], may)) all.push_back(std::move(chain));
  }
}

}  // namespace

std::vector<route> candidates(const fft_problem& problem, decomposition kind, const machine_model& on) {
  std::vector<route> all;
  enumeration(problem, all).run();
  add_gathering(problem, all);
  if (problem.convolves) std::erase_if(all, [](route& r) { return !fold(r); });
  for (route& r : all) r.cost = cost(r, problem, on);
  std::stable_sort(all.begin(), all.end(), [](const route& a, const route& b) { return a.cost < b.cost; });
  if (kind == decomposition::any) return all;
  std::vector<route> chosen;
  for (const route& r : all) {
    // regrouped bricks are pencils too
    const bool also = kind == decomposition::pencils && r.kind == decomposition::bricks;
    if (r.kind == kind || also) chosen.push_back(r);
  }
  return chosen.empty() ? all : chosen;
}

}  // namespace oshen::fft
