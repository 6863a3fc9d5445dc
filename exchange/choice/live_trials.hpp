// The trials of a plan that "auto" makes: its first runs use the candidate strategies in turn, so no run is wasted.
//
// Every candidate is a complete plan with flags of its own; they share the memory of the slots. Runs form blocks, and
// all runs of a block use one candidate. At the end of a block each PE tells all others its times (trial_reports.hpp).
// The next run starts when all reports have come. Nothing of the block is then under way, so that the slots may be used
// differently; and each PE derives the same next candidate (trial_course.hpp). A start does not wait: a run whose
// reports have not come is deferred, and any later call starts it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exchange/group/group.hpp"
#include "exchange/plan/plan.hpp"
#include "exchange/plan/strategy.hpp"
#include "trials/choice_source.hpp"
#include "trials/trial_course.hpp"
#include "trials/trial_reports.hpp"
#include "trials/trial_store.hpp"

namespace oshen::exchange {

struct trial_candidate {
  const strategy* used;
  double estimated;                  // seconds
  std::unique_ptr<oshen_plan> plan;  // null for the one that the caller's plan contains at present
};

struct trial_setup {
  trials::trial_limit limit;        // equal on all PEs
  std::uint64_t key;                // under which the result is kept
  std::optional<std::string> file;  // that the attributes name for the same; else the common one
};

class live_trials : public run_trials {
 public:
  // `candidates`: two or more, in order of preference; the plan contains the first one.
  live_trials(oshen_group& group, std::vector<trial_candidate> candidates, trial_setup setup);
  ~live_trials() override;
  live_trials(const live_trials&) = delete;
  live_trials& operator=(const live_trials&) = delete;

  // Allocates flags and records, and tells the peers where they are. Collective. Returns OSHEN_NO_SPACE on all PEs if
  // one has no room.
  oshen_status_t open();

  // Bytes of the arena that open() allocates.
  static std::size_t control_bytes_of(const oshen_group& group);

  bool permits_start(oshen_plan& plan) override;
  void wait_for_peers() const override { reports_.wait(); }
  void add(double seconds) override { in_calls_ += seconds; }
  void finish_run(const oshen_plan& plan) override;
  // Remembers the fastest candidate if each has had a block.
  void abandon() override;
  // After open() has failed.
  void discard();

 private:
  void change_to(oshen_plan& plan, int index);
  void settle(oshen_plan& plan);
  void keep(int best) const;

  oshen_group& group_;
  std::vector<trial_candidate> candidates_;
  trial_setup setup_;
  trials::trial_course course_;
  std::optional<trials::trial_share> share_;
  arena_block control_{};
  trials::trial_reports reports_;
  trials::trial_reports::record mine_{};
  int current_ = 0;  // the candidate that the caller's plan contains
  int runs_ = 0;     // of the current block, finished
  bool block_over_ = false;
  double in_calls_ = 0, waited_before_ = 0;
};

}  // namespace oshen::exchange
