// The trials of a plan that "auto" makes: its first runs use the candidate strategies in turn, so no run is wasted.
//
// Every candidate is a complete plan with flags of its own; they share the memory of the slots. Runs form blocks, and
// all runs of a block use one candidate. At the end of a block each PE tells all others its times and raises a flag.
// The next run starts when all flags have come. Nothing of the block is then under way, so that the slots may be used
// differently; and all PEs have the same times, from which each derives the same next candidate. A start does not wait:
// a run whose flags have not come is deferred, and any later call starts it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "group.hpp"
#include "strategy.hpp"

struct oshen_plan;

namespace oshen::exchange {

// Where the strategy of a plan comes from.
enum class choice_source { requested, only, model, memory, file, trying, measured };
const char* text_of(choice_source source);

// Seconds that this process may lose, and has lost, by runs with slower candidates (OSHEN_EXCHANGE_TRIALS).
double trial_budget();
double trial_seconds_spent();

// Results of trials in this process, by key; null: none. Plans of the same kind take them.
const strategy* learned_choice(std::uint64_t key);

// The most that a plan tries.
inline constexpr std::size_t most_candidates = 3;

struct trial_candidate {
  const strategy* used;
  double estimated;                  // seconds
  std::unique_ptr<oshen_plan> plan;  // null for the one that the caller's plan contains at present
  std::vector<double> seconds;       // of measured runs
  bool dropped = false;
};

struct trial_setup {
  double allowance;   // seconds that these trials may lose, equal on all PEs
  std::uint64_t key;  // under which the result is kept
  std::string file;   // for the same; "": none
  bool file_of_user;  // named in the attributes: errors are printed
};

class live_trials {
 public:
  // `candidates`: two or more, in order of preference; the plan contains the first one. `slots` is the memory that they
  // share.
  live_trials(oshen_group& group, std::vector<trial_candidate> candidates, trial_setup setup, arena_block slots);
  ~live_trials();
  live_trials(const live_trials&) = delete;
  live_trials& operator=(const live_trials&) = delete;

  // Allocates flags and records, and tells the peers where they are. Collective. Returns OSHEN_NO_SPACE on all PEs if
  // one has no room.
  oshen_status_t open();

  // Bytes of the arena that open() allocates.
  static std::size_t control_bytes_of(const oshen_group& group);

  // Whether the next run may start. At the end of a block this changes the candidate in `plan`. After the last block it
  // frees the trials themselves (`plan.trials`). Does not wait.
  static bool permits_start(oshen_plan& plan);
  // Waits until a peer has reported what permits_start needs. Only when no other run is under way.
  void wait_for_peers() const;
  // Adds time that a call of the API took.
  void add(double seconds) { in_calls_ += seconds; }
  // Records a run that was released, and reports the block if it was the last one of it.
  void finish_run(const oshen_plan& plan);
  // For a plan that is destroyed before the result: peers may still report to it. Local.
  void abandon();
  // After open() has failed.
  void discard();

 private:
  static constexpr int most_runs = 9;
  struct record {
    float seconds[most_runs];  // in calls; negative if this PE takes no part
    float busy[most_runs];     // of these, not waiting
  };
  std::uint64_t* flags() const;
  record* records(int member) const;
  void report_block();
  void read_records();
  int next_candidate();
  int fastest() const;
  void change_to(oshen_plan& plan, int index);
  void settle(oshen_plan& plan);

  oshen_group& group_;
  std::vector<trial_candidate> candidates_;
  trial_setup setup_;
  arena_block slots_, control_{};
  std::vector<std::uint64_t> control_of_;  // offset in the arena of each member
  record mine_{};
  int current_ = 0;  // candidate
  int round_ = 0;    // of all candidates
  int runs_ = 0;     // of the current block, finished
  int runs_per_block_;
  std::uint64_t blocks_ = 0;  // finished by this PE
  bool block_over_ = false;
  double in_calls_ = 0, waited_before_ = 0;
  double lost_ = 0;  // seconds, of these trials
};

}  // namespace oshen::exchange
