#include "live_trials.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "choice_file.hpp"
#include "plan.hpp"
#include "plan_setup.hpp"

namespace oshen::exchange {
namespace {

constexpr int rounds = 2;
constexpr double hopeless = 1.5;  // a candidate that took this much longer is not tried again
// A later candidate must be faster than an earlier one by this factor. This guards against noise.
constexpr double required_gain = 0.9;

std::atomic<double> spent{0};

// Threads with arenas of their own share it.
struct learned_choices {
  std::mutex guard;
  std::map<std::uint64_t, const strategy*> by_key;
};
learned_choices& learned() {
  static learned_choices all;
  return all;
}

// The first run of a block warms the memory of its candidate and does not count. Short runs are repeated, because a
// clock and a switch of the CPU disturb them more.
int runs_of(double estimated) { return estimated > 1e-3 ? 2 : estimated > 50e-6 ? 5 : 9; }

// The median; of an even number the lower of the middle two.
double median(std::vector<double> runs) {
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>((runs.size() - 1) / 2);
  std::nth_element(runs.begin(), middle, runs.end());
  return *middle;
}

// Exchanges the candidates of two plans: everything but the run that has been started, the statistics, and the trials.
void exchange_candidates(oshen_plan& plan, oshen_plan& other) {
  std::swap(plan, other);
  std::swap(plan.active, other.active);
  std::swap(plan.deferred, other.deferred);
  std::swap(plan.in, other.in);
  std::swap(plan.out, other.out);
  std::swap(plan.stats, other.stats);
  std::swap(plan.late, other.late);
  std::swap(plan.trials, other.trials);
  std::swap(plan.measured, other.measured);
  std::swap(plan.source, other.source);
}

}  // namespace

const char* text_of(choice_source source) {
  switch (source) {
    case choice_source::requested: return "requested";
    case choice_source::only: return "only choice";
    case choice_source::model: return "model";
    case choice_source::memory: return "earlier plan";
    case choice_source::file: return "file";
    case choice_source::trying: return "trying";
    case choice_source::measured: return "measured";
  }
  return "unknown";
}

// The library checked the format at its start.
double trial_budget() {
  double milliseconds = 200;
  const char* text = std::getenv("OSHEN_EXCHANGE_TRIALS");
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), milliseconds);
  return milliseconds / 1000;
}

double trial_seconds_spent() { return spent.load(); }

const strategy* learned_choice(std::uint64_t key) {
  learned_choices& all = learned();
  const std::lock_guard hold(all.guard);
  const auto found = all.by_key.find(key);
  return found == all.by_key.end() ? nullptr : found->second;
}

namespace {

void learn(std::uint64_t key, const strategy& chosen) {
  learned_choices& all = learned();
  const std::lock_guard hold(all.guard);
  all.by_key[key] = &chosen;
}

}  // namespace

live_trials::live_trials(oshen_group& group, std::vector<trial_candidate> candidates, trial_setup setup,
                         arena_block slots)
    : group_(group),
      candidates_(std::move(candidates)),
      setup_(std::move(setup)),
      slots_(slots),
      control_of_(group.members.size()),
      runs_per_block_(runs_of(candidates_[0].estimated)) {}

live_trials::~live_trials() = default;

// ---- the memory that peers report to: a flag of each member, then two records of each, which blocks use in turn,
// because a member may be one block ahead

std::uint64_t* live_trials::flags() const {
  return reinterpret_cast<std::uint64_t*>(group_.arena->base + control_.offset);
}

live_trials::record* live_trials::records(int member) const {
  return reinterpret_cast<record*>(flags() + group_.members.size()) + 2 * member;
}

std::size_t live_trials::control_bytes_of(const oshen_group& group) {
  return aligned(group.members.size() * (sizeof(std::uint64_t) + 2 * sizeof(record)));
}

oshen_status_t live_trials::open() {
  handshake_message mine{};
  const std::size_t at = group_.arena->allocate(control_bytes_of(group_));
  if (at != oshen_arena::npos) {
    control_ = {at, control_bytes_of(group_)};
    std::fill_n(flags(), group_.members.size(), std::uint64_t{0});
    mine.packed = at;
  } else {
    mine.status = OSHEN_NO_SPACE;
  }
  oshen_status_t worst = OSHEN_OK;
  const auto replies = group_.handshake(mine);
  for (std::size_t r = 0; r < replies.size(); r++) {
    control_of_[r] = replies[r].packed;
    worst = std::max(worst, static_cast<oshen_status_t>(replies[r].status));
  }
  if (worst != OSHEN_OK && control_.bytes != 0) group_.arena->deallocate(control_.offset, control_.bytes);
  return worst;
}

// ---- runs and blocks

void live_trials::finish_run(const oshen_plan& plan) {
  const bool takes_part = !plan.sends.empty() || !plan.receives.empty();
  const double waited = plan.stats.wait_seconds - waited_before_;
  mine_.seconds[runs_] = takes_part ? static_cast<float>(in_calls_) : -1;
  mine_.busy[runs_] = static_cast<float>(std::max(0.0, in_calls_ - waited));
  in_calls_ = 0;
  waited_before_ = plan.stats.wait_seconds;
  if (++runs_ == runs_per_block_) report_block();
}

void live_trials::report_block() {
  const std::size_t offset = (group_.members.size() * sizeof(std::uint64_t)) +
                             (2 * static_cast<std::size_t>(group_.me) + (blocks_ & 1)) * sizeof(record);
  for (std::size_t r = 0; r < group_.members.size(); r++)
    shmem_putmem(group_.arena->base + control_of_[r] + offset, &mine_, sizeof mine_, group_.members[r].pe);
  shmem_quiet();  // also of everything that the block has sent
  blocks_++;
  for (std::size_t r = 0; r < group_.members.size(); r++)
    raise_flag(*group_.arena, control_of_[r] + static_cast<std::size_t>(group_.me) * sizeof(std::uint64_t), blocks_,
               group_.members[r].pe);
  shmem_quiet();
  block_over_ = true;
}

void live_trials::wait_for_peers() const {
  for (std::size_t r = 0; r < group_.members.size(); r++) shmem_uint64_wait_until(flags() + r, SHMEM_CMP_GE, blocks_);
}

bool live_trials::permits_start(oshen_plan& plan) {
  live_trials& trials = *plan.trials;
  if (trials.block_over_) {
    for (std::size_t r = 0; r < trials.group_.members.size(); r++) {
      if (shmem_uint64_test(trials.flags() + r, SHMEM_CMP_GE, trials.blocks_) == 0) return false;
    }
    trials.read_records();
    const int next = trials.next_candidate();
    if (next < 0) {
      trials.settle(plan);
      plan.trials.reset();
      return true;
    }
    trials.change_to(plan, next);
    trials.block_over_ = false;
    trials.runs_ = 0;
  }
  trials.in_calls_ = 0;
  trials.waited_before_ = plan.stats.wait_seconds;
  return true;
}

// The time of a run is that of the PE that came last: the others waited for it. But it is not less than the time in
// which any PE was busy.
void live_trials::read_records() {
  trial_candidate& now = candidates_[static_cast<std::size_t>(current_)];
  for (int run = 1; run < runs_per_block_; run++) {
    double least = -1, busy = 0;
    for (int r = 0; r < group_.size(); r++) {
      const record& of = records(r)[(blocks_ - 1) & 1];
      if (of.seconds[run] < 0) continue;
      least = least < 0 ? of.seconds[run] : std::min(least, static_cast<double>(of.seconds[run]));
      busy = std::max(busy, static_cast<double>(of.busy[run]));
    }
    now.seconds.push_back(std::max(least, busy));
  }
  // The time that slower candidates have cost, with the runs that only warmed memory.
  const double best = median(candidates_[static_cast<std::size_t>(fastest())].seconds);
  lost_ = 0;
  for (const auto& c : candidates_) {
    if (c.seconds.empty()) continue;
    const double runs = static_cast<double>(c.seconds.size()) * runs_per_block_ / (runs_per_block_ - 1);
    lost_ += std::max(0.0, median(c.seconds) - best) * runs;
  }
}

// Of the candidates that have been measured.
int live_trials::fastest() const {
  int best = -1;
  for (int i = 0; i < static_cast<int>(candidates_.size()); i++) {
    const auto& one = candidates_[static_cast<std::size_t>(i)];
    if (one.seconds.empty()) continue;
    if (best < 0 || median(one.seconds) < required_gain * median(candidates_[static_cast<std::size_t>(best)].seconds))
      best = i;
  }
  return best;
}

// The candidate of the next block; -1 if the trials are over. All PEs compute the same.
int live_trials::next_candidate() {
  const double best = median(candidates_[static_cast<std::size_t>(fastest())].seconds);
  const double expected = candidates_[0].estimated;
  int contenders = 0;
  for (auto& c : candidates_) {
    // A new candidate may be as slow as estimated. It is left out if that would cost too much.
    const double ratio = c.seconds.empty() ? c.estimated / expected : median(c.seconds) / best;
    const double cost = (ratio - 1) * best * runs_per_block_;
    c.dropped = c.dropped || lost_ + cost > setup_.allowance || (!c.seconds.empty() && ratio > hopeless);
    contenders += c.dropped ? 0 : 1;
  }
  if (contenders < 2) return -1;
  const int n = static_cast<int>(candidates_.size());
  for (int i = current_ + 1; i < n; i++)
    if (!candidates_[static_cast<std::size_t>(i)].dropped) return i;
  if (++round_ == rounds) return -1;
  for (int i = 0; i < n; i++)
    if (!candidates_[static_cast<std::size_t>(i)].dropped) return i;
  return -1;
}

void live_trials::change_to(oshen_plan& plan, int index) {
  if (index == current_) return;
  auto& next = candidates_[static_cast<std::size_t>(index)].plan;
  exchange_candidates(plan, *next);
  candidates_[static_cast<std::size_t>(current_)].plan = std::move(next);
  current_ = index;
}

// ---- the end

void live_trials::discard() {
  for (auto& c : candidates_)
    if (c.plan != nullptr) close_and_discard(std::move(c.plan));
}

// Keeps the fastest candidate and frees the others at once, because nothing of their runs is under way.
void live_trials::settle(oshen_plan& plan) {
  const int best = fastest();
  change_to(plan, best);
  int n = 0;
  while (strategy_at(n) != nullptr) n++;
  plan.measured.assign(static_cast<std::size_t>(n), -1);
  for (auto& c : candidates_) {
    if (!c.seconds.empty()) plan.measured[static_cast<std::size_t>(strategy_index(*c.used))] = median(c.seconds);
  }
  discard();
  group_.arena->deallocate(control_.offset, control_.bytes);
  spent += lost_;
  const auto tried = [](double seconds) { return seconds >= 0; };
  const bool compared = std::ranges::count_if(plan.measured, tried) > 1;  // else no other one fitted the budget
  plan.source = compared ? choice_source::measured : choice_source::model;
  if (!compared) return;
  learn(setup_.key, *plan.strategy);
  if (group_.me == 0)
    store_choice(setup_.file, setup_.key, *plan.strategy, median(candidates_[static_cast<std::size_t>(best)].seconds),
                 setup_.file_of_user);
}

void live_trials::abandon() {
  for (auto& c : candidates_) {
    if (c.plan == nullptr) continue;
    if (c.used->close != nullptr) c.used->close(*c.plan);
    group_.deferred_free.push_back(c.plan->block);
  }
  group_.deferred_free.push_back(control_);
  spent += lost_;
}

}  // namespace oshen::exchange
