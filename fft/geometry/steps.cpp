#include "fft/geometry/steps.hpp"

#include <algorithm>

namespace oshen::fft {
namespace {

// Whether the real numbers of each row lie in the same bytes as its complex ones. A tile of whole rows may then be
// written where it was read.
bool same_rows(const layout& real, const layout& complex) {
  return std::equal(real.begin(), real.end(), complex.begin(), complex.end(), [](const box& r, const box& c) {
    if (r.empty() || c.empty()) return r.empty() && c.empty();
    const strides3 of_real = r.strides(), of_complex = c.strides();
    bool same = of_real[0] == 1 && of_complex[0] == 1;
    for (int a = 1; a < 3; a++) {
      same = same && r.low[a] == c.low[a] && r.size[a] == c.size[a];
      same = same && (r.size[a] == 1 || of_real[a] == 2 * of_complex[a]);
    }
    return same;
  });
}

// Whether no later stage needs other PEs, and all later stages work in the boxes of the output.
bool rest_is_local(const route& chain, std::size_t e) {
  const layout& out = chain.stages.back().after;
  for (; e + 1 < chain.stages.size(); e++) {
    const stage &from = chain.stages[e], &to = chain.stages[e + 1];
    if (!is_local(from, to) || to.changes_elements() || !same_places(to.before, out)) return false;
  }
  return true;
}

class planning {
 public:
  planning(const route& chain, const peer_access& may)
      : way_(chain), may_(may), steps_(static_cast<std::size_t>(chain.exchanges())) {}

  std::vector<step> run() {
    for (std::size_t e = 0; e < steps_.size(); e++) {
      step& now = steps_[e];
      now.read = now.written = resting_place(e);
      now.syncs = !is_local(from(e), way_.stages[e + 1]);
      now.only_own = same_points(now.written, from(e).after);
      now.where = array_for(e);
      if (now.where == array::other && !may_.direct) {
        now.written = from(e).after;
        now.only_own = true;
      }
    }
    if (may_.direct) part_with_own_results();
    sync_between_swaps();
    return std::move(steps_);
  }

 private:
  const stage& from(std::size_t e) const { return way_.stages[e]; }

  const layout& resting_place(std::size_t e) const {
    const bool results_stay = may_.direct && way_.results_stay(e) && !rest_is_local(way_, e);
    if (!results_stay) return way_.stages[e + 1].before;
    return e > 0 && !from(e).changes_elements() ? steps_[e - 1].read : from(e).after;
  }

  array array_for(std::size_t e) const {
    const step& now = steps_[e];
    if (rest_is_local(way_, e) || may_use_output(e)) return array::output;
    const bool stays = e > 0 && !from(e).changes_elements() && same_places(steps_[e - 1].read, now.written);
    if (!stays || (!may_.direct && now.syncs)) return array::other;
    return steps_[e - 1].where == array::output ? array::output : array::same;
  }

  // Other PEs may write there only after a sync, because its owner may use the output until its run begins.
  bool may_use_output(std::size_t e) const {
    const stage& last = way_.stages.back();
    if (!may_.output || !may_.direct) return false;
    if (from(e).real_after != last.real_after || !same_places(steps_[e].written, last.after)) return false;
    const auto met = std::any_of(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(e),
                                 [](const step& s) { return s.syncs; });
    return met || steps_[e].only_own;
  }

  // If only a copy into the output follows, a PE writes its own results there directly. Not in the first stage, which
  // may still read the caller's input there.
  void part_with_own_results() {
    if (steps_.size() < 2 || !way_.stages.back().axes.empty()) return;
    steps_.back().own_to_output = steps_.back().where != array::output;
  }

  // Two changes to the other array are separated by a sync, also across the end of a run: see shared_backend.cpp.
  void sync_between_swaps() {
    bool swaps = true;  // before the next sync
    for (std::size_t e = steps_.size(); e-- > 0;) {
      step& now = steps_[e];
      if (now.where == array::other && (swaps || !may_.direct)) now.syncs = true;
      swaps = now.where == array::other || (swaps && !now.syncs);
    }
  }

  const route& way_;
  peer_access may_;
  std::vector<step> steps_;
};

std::vector<chunk> chunks_in(const box& points, const layout& arrays, int me) {
  std::vector<chunk> chunks;
  const int n = static_cast<int>(arrays.size());
  for (int i = 1; i <= n; i++) {
    const int pe = (me + i) % n;
    const box& whole = arrays[static_cast<std::size_t>(pe)];
    const box part = overlap(points, whole);
    if (!part.empty()) chunks.push_back({pe, part, whole});
  }
  return chunks;
}

// The chunks of this PE's array that other PEs wrote, for a last stage that copies.
std::vector<chunk> chunks_by_others(const layout& makers, const box& whole, int me) {
  std::vector<chunk> chunks;
  for (int pe = 0; pe < static_cast<int>(makers.size()); pe++) {
    const box part = overlap(makers[static_cast<std::size_t>(pe)], whole);
    if (pe != me && !part.empty()) chunks.push_back({me, part, whole});
  }
  return chunks;
}

}  // namespace

std::vector<step> steps_of(const route& chain, const peer_access& may) { return planning(chain, may).run(); }

bool needs_input_apart(const route& chain, const std::vector<step>& steps) {
  if (!steps.empty() && steps[0].where != array::output) return false;
  const stage& first = chain.stages[0];
  const layout& target = steps.empty() ? first.after : steps[0].written;
  if (first.real_before != first.real_after)
    return first.real_before ? !same_rows(first.before, target) : !same_rows(target, first.before);
  return first.changes_elements() || !same_places(first.before, target);
}

bool shares_output(const std::vector<step>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const step& s) { return s.where == array::output && s.syncs; });
}

bool ends_local(const route& chain, const std::vector<step>& steps) {
  for (std::size_t e = steps.size(); e-- > 0;) {
    const layout &points = chain.stages[e + 1].before, &arrays = steps[e].read;
    const bool own = std::equal(points.begin(), points.end(), arrays.begin(),
                                [](const box& p, const box& a) { return overlap(p, a).volume() == p.volume(); });
    if (!own) return false;
    if (steps[e].syncs) break;
  }
  return true;
}

bool swaps(const std::vector<step>& steps, std::size_t e, bool ends_local) {
  return steps[e].where == array::other && (e > 0 || !steps[e].only_own || !ends_local);
}

std::vector<chunk> sources_of(const route& chain, const std::vector<step>& steps, std::size_t s, int me) {
  const auto mine = static_cast<std::size_t>(me);
  const box& points = chain.stages[s].before[mine];
  if (s == 0) return chunks_in(points, chain.stages[0].before, me);
  const step& came = steps[s - 1];
  const bool only_copies = s == steps.size() && chain.stages[s].axes.empty();
  if (only_copies && came.where == array::output) return {};  // the data is already there
  if (came.own_to_output) return chunks_by_others(chain.stages[s - 1].after, came.read[mine], me);
  return chunks_in(points, came.read, me);
}

std::vector<chunk> targets_of(const route& chain, const std::vector<step>& steps, std::size_t s, int me) {
  const stage& now = chain.stages[s];
  return chunks_in(now.after[static_cast<std::size_t>(me)], s == steps.size() ? now.after : steps[s].written, me);
}

std::vector<int> partners_of(const route& chain, const std::vector<step>& steps, int me) {
  const std::size_t n = chain.stages[0].before.size();
  std::vector<std::vector<bool>> touches(n, std::vector<bool>(n, false));
  for (std::size_t p = 0; p < n; p++) {
    const int pe = static_cast<int>(p);
    touches[p][p] = true;
    for (std::size_t s = 0; s <= steps.size(); s++) {
      for (const chunk& from : sources_of(chain, steps, s, pe)) touches[p][static_cast<std::size_t>(from.pe)] = true;
      for (const chunk& to : targets_of(chain, steps, s, pe)) touches[p][static_cast<std::size_t>(to.pe)] = true;
    }
  }
  std::vector<int> partners;
  for (std::size_t i = 1; i < n; i++) {
    const std::size_t other = (static_cast<std::size_t>(me) + i) % n;
    for (std::size_t array = 0; array < n; array++) {
      if (!touches[static_cast<std::size_t>(me)][array] || !touches[other][array]) continue;
      partners.push_back(static_cast<int>(other));
      break;
    }
  }
  return partners;
}

std::vector<int> partners_of(const route& chain, const std::vector<step>& steps, const route& back,
                             const std::vector<step>& steps_back, int me) {
  std::vector<int> all = partners_of(chain, steps, me);
  for (const int p : partners_of(back, steps_back, me)) {
    if (std::find(all.begin(), all.end(), p) == all.end()) all.push_back(p);
  }
  return all;
}

}  // namespace oshen::fft
