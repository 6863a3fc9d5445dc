#include "exchange/choice/live_trials.hpp"

#include <algorithm>
#include <utility>

#include "exchange/plan/plan.hpp"
#include "exchange/plan/plan_setup.hpp"
#include "exchange/strategies/table.hpp"
#include "trials/choice_file.hpp"
#include "trials/trial_store.hpp"

namespace oshen::exchange {
namespace {

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

struct reports_message {
  std::uint64_t offset;  // of the sender's reports
  oshen_status_t status;
};

std::vector<double> estimates_of(const std::vector<trial_candidate>& candidates) {
  std::vector<double> seconds;
  for (const trial_candidate& c : candidates) seconds.push_back(c.estimated);
  return seconds;
}

}  // namespace

live_trials::live_trials(oshen_group& group, std::vector<trial_candidate> candidates, trial_setup setup)
    : group_(group),
      candidates_(std::move(candidates)),
      setup_(std::move(setup)),
      course_(estimates_of(candidates_), setup_.limit) {}

live_trials::~live_trials() = default;

std::size_t live_trials::control_bytes_of(const oshen_group& group) {
  return aligned(trials::trial_reports::bytes_of(group.size()));
}

oshen_status_t live_trials::open() {
  reports_message mine{.offset = 0, .status = OSHEN_OK};
  const std::size_t at = group_.arena->allocate(control_bytes_of(group_));
  if (at != oshen_arena::npos) {
    control_ = {at, control_bytes_of(group_)};
    reports_ = trials::trial_reports(&group_, at);
    mine.offset = at;
  } else {
    mine.status = OSHEN_NO_SPACE;
  }
  oshen_status_t worst = OSHEN_OK;
  std::vector<std::uint64_t> offsets;
  for (const reports_message& reply : group_.handshake_with_all(mine)) {
    offsets.push_back(reply.offset);
    worst = std::max(worst, reply.status);
  }
  reports_.set_peers(std::move(offsets));
  if (worst == OSHEN_OK)
    share_.emplace(setup_.limit.seconds);
  else if (control_.bytes != 0)
    group_.arena->deallocate(control_.offset, control_.bytes);
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
  if (++runs_ < course_.block_runs()) return;
  reports_.send(mine_);
  block_over_ = true;
}

bool live_trials::permits_start(oshen_plan& plan) {
  if (block_over_) {
    if (!reports_.have_come()) return false;
    const int runs = course_.block_runs();
    course_.finish_block(reports_.seconds_of_block(runs), runs);
    const int next = course_.next();
    if (next < 0) {
      settle(plan);
      plan.trials.reset();
      return true;
    }
    change_to(plan, next);
    block_over_ = false;
    runs_ = 0;
  }
  in_calls_ = 0;
  waited_before_ = plan.stats.wait_seconds;
  return true;
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
  const int best = course_.fastest();
  change_to(plan, best);
  int n = 0;
  while (strategy_at(n) != nullptr) n++;
  plan.measured.assign(static_cast<std::size_t>(n), -1);
  for (int i = 0; i < course_.size(); i++) {
    const strategy& used = *candidates_[static_cast<std::size_t>(i)].used;
    plan.measured[static_cast<std::size_t>(strategy_index(used))] = course_.seconds_of(i);
  }
  discard();
  group_.arena->deallocate(control_.offset, control_.bytes);
  oshen_trials_lose(course_.lost());
  plan.source = course_.compared() ? trials::choice_source::measured : trials::choice_source::model;
  if (course_.compared()) keep(best);
}

// Remembers a candidate for later plans, and for later programs.
void live_trials::keep(int best) const {
  const char* chosen = candidates_[static_cast<std::size_t>(best)].used->name;
  oshen_trials_learn(setup_.key, chosen);
  if (group_.me != 0) return;
  if (setup_.file)
    trials::store_choice(*setup_.file, setup_.key, chosen, course_.seconds_of(best), true);
  else
    oshen_trials_store(setup_.key, chosen, course_.seconds_of(best));
}

void live_trials::abandon() {
  for (auto& c : candidates_) {
    if (c.plan == nullptr) continue;
    if (c.used->close != nullptr) c.used->close(*c.plan);
    group_.deferred_free.push_back(c.plan->block);
  }
  group_.deferred_free.push_back(control_);
  const int runs = course_.block_runs();
  if (block_over_ && reports_.have_come()) course_.finish_block(reports_.seconds_of_block(runs), runs);
  oshen_trials_lose(course_.lost());
  // A program of few runs would otherwise pay for the same trials each time it is started.
  if (course_.compared() && course_.had_each()) keep(course_.fastest());
}

}  // namespace oshen::exchange
