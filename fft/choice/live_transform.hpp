// The transform that OSHEN_FFT_AUTO makes: its first runs use the candidate ways in turn, so no run is wasted.
//
// Every candidate is a complete transform. Runs form blocks, and all runs of a block use one candidate. At the end of a
// block the PEs tell each other their times (trials/trial_reports.hpp); from these each derives the same next
// candidate (trials/trial_course.hpp). A start does not wait: a run whose reports have not come is deferred, and a
// test or a wait begins it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fft/transform/transform.hpp"
#include "trials/choice_source.hpp"
#include "trials/trial_course.hpp"
#include "trials/trial_reports.hpp"
#include "trials/trial_store.hpp"

namespace oshen::fft {

struct live_candidate {
  std::string name;  // in the choice file
  double estimated;  // seconds
  std::unique_ptr<transform> made;
};

class live_transform : public transform {
 public:
  // `candidates`: one or more, the first one preferred.
  live_transform(oshen_group_t* group, std::vector<live_candidate> candidates, trials::choice_source source);
  ~live_transform() override;
  live_transform(const live_transform&) = delete;
  live_transform& operator=(const live_transform&) = delete;

  // Makes the next runs try the candidates. `key`: under which the result is kept. `lost`: seconds that planning them
  // has taken. Collective. Without memory for the reports the first candidate stays.
  void try_all(trials::trial_limit limit, std::uint64_t key, double lost);
  // Symmetric memory of the trials, beside that of the candidates.
  static std::size_t report_bytes(int members) { return trials::trial_reports::bytes_of(members) + 64; }

  void start(direction dir, const void* in, void* out, double scale) override;
  bool test() override;
  void wait() override;
  oshen_fft_workspace_t workspace() const override;
  oshen_fft_cost_t cost() const override { return now().cost(); }
  oshen_fft_stats_t stats() const override;
  std::string text() const override;
  oshen_status_t set_factors(oshen_group_t* group, const void* factors) override;

 private:
  struct trial_state {
    trials::trial_course course;
    trials::trial_reports reports;
    void* memory;  // of the reports
    std::uint64_t key;
    trials::trial_share share;
    trials::trial_reports::record mine{};
    int counted = 0, runs = 0;  // finished runs of the block: those whose times count, and all
    bool block_over = false;
    bool knows_direction = false;
    direction measured{};  // only runs in the direction of the first one are compared
  };

  transform& now() const { return *candidates_[static_cast<std::size_t>(current_)].made; }
  bool begin_deferred();
  bool begin_block();
  void begin();
  void finish_run();
  void settle();
  void keep(int best) const;

  oshen_group_t* group_;
  std::vector<live_candidate> candidates_;
  trials::choice_source source_;
  int current_ = 0;
  std::string measured_;         // the result of the trials, as text
  oshen_fft_stats_t dropped_{};  // of candidates that are gone
  std::unique_ptr<trial_state> trials_;

  // The run under way.
  bool deferred_ = false, running_ = false;
  direction dir_{};
  const void* in_ = nullptr;
  void* out_ = nullptr;
  double scale_ = 1;
  double in_calls_ = 0;       // seconds
  double waited_before_ = 0;  // seconds that earlier runs of the candidate waited
};

}  // namespace oshen::fft
