// The order of trials: which candidate the next block of runs uses, and which is the fastest. Every PE computes the
// same from the same times. Arithmetic only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace oshen::trials {

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
  // Any run may be the last one if their number is unknown. So trials never cost more than this share of the time that
  // all runs have taken until then. A millisecond is always allowed: it does not matter to any program.
  static constexpr double cost_share = 0.05, unnoticed_seconds = 1e-3;
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
    for (const double seconds : estimates) candidates_.push_back({.estimated = seconds, .seconds = {}});
  }

  // The first run of a block warms the memory of its candidate and does not count. Short runs are repeated, because a
  // clock and a switch of the CPU disturb them more.
  static int runs_of(double estimated) { return estimated > 1e-3 ? 2 : estimated > 50e-6 ? 5 : most_block_runs; }

  int current() const { return current_; }
  // Whether the current block goes on with the fastest candidate because the next one would cost too much now.
  bool is_waiting() const { return is_waiting_; }
  int block_runs() const { return block_runs_; }
  double lost() const { return lost_; }

  // Enters the times of a finished block, at least two. `runs`: all runs that used the candidate, also those without a
  // time.
  void finish_block(const std::vector<double>& seconds, int runs) {
    candidate& now = at(current_);
    now.seconds.insert(now.seconds.end(), seconds.begin() + 1, seconds.end());
    const double usual = median(now.seconds), warming = std::max(0.0, seconds[0] - usual);
    ran_ += warming + usual * runs;
    if (!is_waiting_) enter_trial(now, warming, runs);
    const double best = median(at(fastest()).seconds);
    lost_ = lost_before_;
    for (const candidate& c : candidates_)
      if (!c.seconds.empty()) lost_ += std::max(0.0, median(c.seconds) - best) * c.runs;
  }

  // Goes on to the candidate of the next block and returns it; -1 if the trials are over. While the next candidate
  // would cost too much for the runs so far, the fastest one goes on.
  int next() {
    const double best = median(at(fastest()).seconds);
    candidate* chosen = nullptr;
    int contenders = 0;
    for (candidate& c : candidates_) {
      const bool is_hopeless = !c.seconds.empty() && ratio_of(c, best) > hopeless;
      c.dropped = c.dropped || is_hopeless || lost_ + slower_by(c, best) > limit_.allowance(best);
      if (c.dropped) continue;
      contenders++;
      if (c.blocks < rounds && (chosen == nullptr || c.blocks < chosen->blocks)) chosen = &c;
    }
    if (contenders < 2 || chosen == nullptr) return -1;
    is_waiting_ = !is_affordable(*chosen, best);
    return current_ = is_waiting_ ? fastest() : static_cast<int>(chosen - candidates_.data());
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
    int blocks = 0;               // that compare it with others
    int runs = 0;                 // of these blocks, with those that were not measured
    bool dropped = false;
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

  // The first candidate would have warmed its memory without trials too.
  void enter_trial(candidate& now, double warming, int runs) {
    now.blocks++;
    now.runs += runs;
    if (&now != candidates_.data()) {
      cost_ += warming + (median(now.seconds) - median(candidates_[0].seconds)) * runs;
    } else if (now.blocks == 1) {
      first_warming_ = warming;
    }
  }

  // A new candidate may be as slow as estimated.
  double ratio_of(const candidate& c, double best) const {
    return c.seconds.empty() ? c.estimated / candidates_[0].estimated : median(c.seconds) / best;
  }

  // Seconds by which a block is expected to exceed as many runs with the best candidate.
  double slower_by(const candidate& c, double best) const { return (ratio_of(c, best) - 1) * best * block_runs_; }

  // A new candidate must warm its memory, as the first one had to. That may take as long as a run, because it may touch
  // more memory than the first one.
  bool is_affordable(const candidate& c, double best) const {
    if (limit_.expected_runs != 0 || &c == candidates_.data()) return true;
    const double cost = cost_ + slower_by(c, best) + (c.seconds.empty() ? std::max(first_warming_, best) : 0);
    return cost <= std::max(trial_limit::unnoticed_seconds, trial_limit::cost_share * ran_);
  }

  candidate& at(int index) { return candidates_[static_cast<std::size_t>(index)]; }
  const candidate& at(int index) const { return candidates_[static_cast<std::size_t>(index)]; }

  std::vector<candidate> candidates_;
  trial_limit limit_;
  double lost_before_, lost_;
  double first_warming_ = 0;  // seconds by which the very first run exceeds later ones
  double ran_ = 0;            // seconds of all runs
  double cost_ = 0;           // seconds by which blocks with other candidates exceed as many runs with the first one
  int block_runs_;
  int current_ = 0;
  bool is_waiting_ = false;  // the current block compares nothing
};

}  // namespace oshen::trials
