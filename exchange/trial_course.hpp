// The order of trials: which candidate the next block of runs uses, and which is the fastest. Every PE computes the
// same from the same times. Arithmetic only, and only a header, because fft/ uses it too (see user_cache.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace oshen::exchange {

// The most candidates that one plan or transform tries, and the most runs of a block.
inline constexpr std::size_t most_candidates = 3;
inline constexpr int most_block_runs = 9;

// Candidates with a longer estimate, compared with that of the best one, are not tried.
inline constexpr double promising = 1.6;

// The time that trials may lose, by which runs with slower candidates exceed those with the best one.
struct trial_limit {
  double seconds;         // in all
  int expected_runs = 0;  // 0: unknown. Else trials may also lose no more than `loss_share` of so many runs.

  static constexpr double loss_share = 0.02;
  // `run`: the seconds of a run with the best candidate.
  double allowance(double run) const {
    return expected_runs == 0 ? seconds : std::min(seconds, loss_share * expected_runs * run);
  }
};

class trial_course {
 public:
  // `estimates`: seconds of a run of each candidate, the first one preferred; only their ratios matter.
  // `lost_before`: seconds lost before the first run.
  trial_course(const std::vector<double>& estimates, trial_limit limit, double lost_before = 0)
      : limit_(limit), lost_before_(lost_before), lost_(lost_before), block_runs_(runs_of(estimates[0])) {
    for (const double seconds : estimates) candidates_.push_back({seconds, {}, 0, false});
  }

  // The first run of a block warms the memory of its candidate and does not count. Short runs are repeated, because a
  // clock and a switch of the CPU disturb them more.
  static int runs_of(double estimated) { return estimated > 1e-3 ? 2 : estimated > 50e-6 ? 5 : most_block_runs; }

  int current() const { return current_; }
  int block_runs() const { return block_runs_; }
  double lost() const { return lost_; }

  // Enters the times of a finished block, all but that of its first run. `runs`: all runs that used the candidate.
  void finish_block(const std::vector<double>& seconds, int runs) {
    candidate& now = at(current_);
    now.seconds.insert(now.seconds.end(), seconds.begin(), seconds.end());
    now.runs += runs;
    const double best = median(at(fastest()).seconds);
    lost_ = lost_before_;
    for (const candidate& c : candidates_)
      if (!c.seconds.empty()) lost_ += std::max(0.0, median(c.seconds) - best) * c.runs;
  }

  // Goes on to the candidate of the next block and returns it; -1 if the trials are over.
  int next() {
    const double best = median(at(fastest()).seconds);
    int contenders = 0;
    for (candidate& c : candidates_) {
      // A new candidate may be as slow as estimated. It is left out if that would cost too much.
      const double ratio = c.seconds.empty() ? c.estimated / candidates_[0].estimated : median(c.seconds) / best;
      const double cost = (ratio - 1) * best * block_runs_;
      c.dropped = c.dropped || lost_ + cost > limit_.allowance(best) || (!c.seconds.empty() && ratio > hopeless);
      contenders += c.dropped ? 0 : 1;
    }
    if (contenders < 2) return -1;
    if (enter(current_ + 1)) return current_;
    return ++round_ < rounds && enter(0) ? current_ : -1;
  }

  // Of the candidates that have been measured; -1 if none has.
  int fastest() const {
    int best = -1;
    for (int i = 0; i < size(); i++) {
      if (at(i).seconds.empty()) continue;
      if (best < 0 || median(at(i).seconds) < required_gain * median(at(best).seconds)) best = i;
    }
    return best;
  }

  int size() const { return static_cast<int>(candidates_.size()); }
  // The median time of a candidate; negative if it was not tried.
  double seconds_of(int index) const { return at(index).seconds.empty() ? -1 : median(at(index).seconds); }
  // Whether no candidate waits for its first block. What is known then is worth keeping if the program ends.
  bool had_each() const {
    return std::ranges::none_of(candidates_, [](const candidate& c) { return c.seconds.empty() && !c.dropped; });
  }
  // Whether two candidates were measured. Otherwise no other one fitted the limit.
  bool compared() const {
    return std::ranges::count_if(candidates_, [](const candidate& c) { return !c.seconds.empty(); }) > 1;
  }

 private:
  struct candidate {
    double estimated;
    std::vector<double> seconds;  // of measured runs
    int runs;                     // with those that were not measured
    bool dropped;
  };

  static constexpr int rounds = 2;
  static constexpr double hopeless = 1.5;  // a candidate that took this much longer is not tried again
  // A later candidate must be faster than an earlier one by this factor. This guards against noise.
  static constexpr double required_gain = 0.9;

  // The median; of an even number the lower of the middle two.
  static double median(std::vector<double> runs) {
    const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
    std::nth_element(runs.begin(), middle, runs.end());
    return *middle;
  }

  // Enters the first candidate from `index` on that is still tried. Returns false if there is none.
  bool enter(int index) {
    while (index < size() && at(index).dropped) index++;
    if (index == size()) return false;
    current_ = index;
    return true;
  }

  candidate& at(int index) { return candidates_[static_cast<std::size_t>(index)]; }
  const candidate& at(int index) const { return candidates_[static_cast<std::size_t>(index)]; }

  std::vector<candidate> candidates_;
  trial_limit limit_;
  double lost_before_, lost_;
  int block_runs_;
  int current_ = 0;
  int round_ = 0;  // of all candidates
};

}  // namespace oshen::exchange
