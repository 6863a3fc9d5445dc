// Which routes there are: the axes in every sensible order, one, two or three at a time, in the
// caller's boxes where these are whole along them, else in slabs, pencils or regrouped bricks.
#include <algorithm>
#include <optional>
#include <set>

#include "cost.hpp"
#include "split.hpp"

namespace oshen::fft {
namespace {

// A tile that holds whole planes should stay in the second-level cache, with room for the data that
// streams by. A quarter more than 256 x 256 complex doubles.
constexpr std::size_t fused_bytes = 1310720;
constexpr int narrowest_run = 4;  // elements along axis 0, when that is not transformed

unsigned mask_of(const std::vector<int>& axes) {
  unsigned mask = 0;
  for (const int a : axes) mask |= 1u << a;
  return mask;
}

// The axes along which something is done; not none.
std::vector<int> transformed_axes(const problem& what) {
  std::vector<int> axes;
  for (int a = 0; a < 3; a++) {
    if (what.along[a] != OSHEN_FFT_NOTHING) axes.push_back(a);
  }
  return axes;
}

// The grid that these boxes form, if they form one.
std::optional<grid3> grid_of(const layout& boxes) {
  std::set<int> edges[3];
  int owners = 0;
  for (const box& b : boxes) {
    if (b.empty()) continue;
    owners++;
    for (int a = 0; a < 3; a++) edges[a].insert(b.low[a]);
  }
  const grid3 grid{static_cast<int>(edges[0].size()), static_cast<int>(edges[1].size()),
                   static_cast<int>(edges[2].size())};
  if (static_cast<long long>(grid[0]) * grid[1] * grid[2] != owners) return std::nullopt;
  return grid;
}

class enumeration {
 public:
  enumeration(const problem& what, std::vector<route>& found)
      : what_(what), n_(static_cast<int>(what.in.size())), found_(found) {}

  void run() {
    std::vector<int> order = transformed_axes(what_);
    if (what_.is_matrix) return start({1, 0}, {1, 1});  // columns, then rows: see matrix.hpp
    add_at_once(order);
    do {
      // A real axis becomes complex before anything else happens to it.
      if (what_.halves() && order[0] != 0) continue;
      for (const std::vector<int>& sizes : splits(order.size())) start(order, sizes);
    } while (std::next_permutation(order.begin(), order.end()));
  }

 private:
  struct state {
    std::vector<stage> stages;
    std::optional<grid3> grid;  // of the last layout
    bool real;                  // the elements at the end of `stages`
    bool slabs = false, pencils = false, regrouped = false;
  };
  using groups = std::vector<std::vector<int>>;

  // How many axes at a time.
  static std::vector<std::vector<int>> splits(std::size_t axes) {
    if (axes == 1) return {{1}};
    if (axes == 2) return {{1, 1}, {2}};
    return {{1, 1, 1}, {1, 2}, {2, 1}, {3}};
  }

  // Where each PE has nothing or all of the array before and after, FFTW's own way is one of them.
  void add_at_once(const std::vector<int>& axes) {
    const std::vector<int> all{0, 1, 2};
    const auto fourier = [&](int a) { return what_.along[a] == OSHEN_FFT_FOURIER; };
    if (what_.real_in || !std::all_of(axes.begin(), axes.end(), fourier)) return;
    if (!whole(what_.in, all, what_.extent) || !whole(what_.out, all, what_.extent)) return;
    const auto as_before = [](const box& a, const box& b) { return a.empty() == b.empty(); };
    if (!std::equal(what_.in.begin(), what_.in.end(), what_.out.begin(), as_before)) return;
    found_.push_back({decomposition::any, {{what_.in, what_.out, axes, what_.along, false, false, true}}, 0});
  }

  void start(const std::vector<int>& order, const std::vector<int>& sizes) {
    groups todo;
    std::size_t next = 0;
    for (const int size : sizes) {
      std::vector<int> group;
      while (std::ssize(group) < size) group.push_back(order[next++]);
      todo.push_back(group);
    }
    state s{{}, grid_of(what_.in), what_.real_in};
    if (whole(what_.in, todo[0], what_.extent)) {
      add(s, what_.in, todo[0]);
      todo.erase(todo.begin());
    } else {
      add(s, what_.in, {});
    }
    go_on(s, todo);
  }

  static bool whole(const layout& boxes, const std::vector<int>& axes, const axes3& extent) {
    return std::all_of(axes.begin(), axes.end(), [&](int a) { return spans(boxes, a, extent); });
  }

  void go_on(const state& s, const groups& todo) {
    if (todo.empty()) return finish(s, {});
    const std::vector<int>& group = todo[0];
    if (todo.size() == 1 && whole(what_.out, group, extent_before_output(s))) {
      return finish(s, group);
    }
    for (const grid3& grid : next_grids(s, group)) {
      state then = s;
      note(then, group, grid);
      const layout boxes = cut(extent_now(s), grid, work_order(group), s.stages.back().after);
      add(then, boxes, group);
      then.grid = grid;
      go_on(then, {todo.begin() + 1, todo.end()});
    }
  }

  axes3 extent_now(const state& s) const { return s.real ? what_.extent : what_.out_extent(); }
  // The output is complex; if a real axis is still to come it comes there, and is whole if its
  // complex form is.
  axes3 extent_before_output(const state&) const { return what_.out_extent(); }

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

  // From a known grid only the cuts of axes that must become whole move, all to one other axis: the
  // partners are then few. Otherwise every grid.
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
    const auto cut_axes =
        std::count_if(grid.begin(), grid.end(), [](int parts) { return parts > 1; });
    if (s.stages.size() == 1 && s.grid && group.size() == 1 && refines(*s.grid, grid, group[0])) {
      s.regrouped = true;
    }
    if (group.size() > 1 || cut_axes < 2) s.slabs = true;
    if (cut_axes >= 2) s.pencils = true;
  }

  // The cuts of axis `gone` went to one other axis: data moves within rows of bricks only.
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

  // Axes of one layout, as one pass where a tile with all of them whole is small, else as several.
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
    std::size_t bytes = what_.complex_bytes;
    bool has_0 = false;
    for (const int a : axes) {
      bytes *= static_cast<std::size_t>(what_.extent[a]);
      has_0 = has_0 || a == 0;
    }
    return has_0 ? bytes : bytes * narrowest_run;
  }

  void add_pass(state& s, const layout& boxes, const std::vector<int>& axes) const {
    stage made{boxes, boxes, axes, what_.along, s.real, s.real};
    if (s.real && what_.halves() && std::find(axes.begin(), axes.end(), 0) != axes.end()) {
      s.real = made.real_after = false;
      for (box& b : made.after) {
        if (!b.empty()) b.size[0] = what_.out_extent()[0];
      }
    }
    if (what_.is_matrix && mask_of(axes) == mask_of({1})) made.twiddles = what_.extent[0] * what_.extent[1];
    s.stages.push_back(std::move(made));
  }

  void finish(state s, const std::vector<int>& axes) {
    const bool there = axes.empty() && ends_in_output(s);
    if (!there) add(s, output_before(s), axes);
    route made{kind_of(s), std::move(s.stages), 0};
    made.stages.back().after = what_.out;
    found_.push_back(std::move(made));
  }

  // The output as it is before its real axis, if still to come, becomes complex.
  layout output_before(const state& s) const {
    layout boxes = what_.out;
    if (!s.real || what_.real_out) return boxes;
    for (box& b : boxes) {
      if (!b.empty()) b.size[0] = what_.extent[0];
    }
    return boxes;
  }

  bool ends_in_output(const state& s) const {
    const layout& last = s.stages.back().after;
    return std::equal(last.begin(), last.end(), what_.out.begin(), what_.out.end(),
                      [](const box& a, const box& b) {
                        return (a.empty() && b.empty()) || (a.low == b.low && a.size == b.size);
                      });
  }

  static decomposition kind_of(const state& s) {
    if (s.regrouped && s.pencils) return decomposition::bricks;
    if (s.pencils) return decomposition::pencils;
    return s.slabs ? decomposition::slabs : decomposition::any;
  }

  const problem& what_;
  int n_;
  std::vector<route>& found_;
};

// The same way with results kept where they are. Tiles follow the order of the arrays from which
// they are gathered.
route pulled(route way) {
  way.pull = true;
  const layout& arrays = way.stages[0].after;
  for (std::size_t s = 1; s + 1 < way.stages.size(); s++) {
    for (layout* boxes : {&way.stages[s].before, &way.stages[s].after}) {
      for (std::size_t p = 0; p < boxes->size(); p++) {
        if (arrays[p].order[0] != (*boxes)[p].order[0]) (*boxes)[p].order = arrays[p].order;
      }
    }
  }
  return way;
}

void add_pulled(const problem& what, std::vector<route>& all) {
  if (!what.direct) return;
  const std::size_t pushed = all.size();
  for (std::size_t r = 0; r < pushed; r++) {
    route way = pulled(all[r]);
    const peer_access may{true, what.symmetric_out};
    if (steps_of(way, may) != steps_of(all[r], may)) all.push_back(std::move(way));
  }
}

}  // namespace

std::vector<route> candidates(const problem& what, decomposition kind, const machine& on) {
  std::vector<route> all;
  enumeration(what, all).run();
  add_pulled(what, all);
  if (what.convolves) std::erase_if(all, [](route& r) { return !fold(r); });
  for (route& r : all) r.cost = cost(r, what, on);
  std::stable_sort(all.begin(), all.end(),
                   [](const route& a, const route& b) { return a.cost < b.cost; });
  if (kind == decomposition::any) return all;
  std::vector<route> chosen;
  for (const route& r : all) {
    // Regrouped bricks are pencils too.
    const bool also = kind == decomposition::pencils && r.kind == decomposition::bricks;
    if (r.kind == kind || also) chosen.push_back(r);
  }
  return chosen.empty() ? all : chosen;
}

}  // namespace oshen::fft
