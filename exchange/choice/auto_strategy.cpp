// "auto": takes what was learned before, or ranks the strategies by a model and tries the best few in the first runs of
// the plan (live_trials.hpp). All plans of a process share a budget of time that trials may lose.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "exchange/choice/estimate.hpp"
#include "exchange/choice/live_trials.hpp"
#include "exchange/plan/plan_setup.hpp"
#include "exchange/strategies/table.hpp"
#include "trials/choice_file.hpp"
#include "trials/trial_store.hpp"

namespace oshen::exchange {
namespace {

// One plan may lose this share of the budget that is left, because others may be tried at the same time.
constexpr double share = 0.125;

struct known_choice {
  const strategy* used = nullptr;
  trials::choice_source source = trials::choice_source::model;
};

// The message of member 0; those of the others are not read.
struct recall_message {
  std::int32_t strategy;  // its index, or -1: nothing is known
  trials::choice_source source;
};

// Asks member 0 for the choice for plans of this kind. A file that the user names comes first, so that it can be
// edited.
known_choice recall(oshen_group& group, const oshen_plan_attr_t& attr, std::uint64_t key) {
  recall_message mine{.strategy = -1, .source = {}};
  if (group.me == 0) {
    char learned[trials::longest_choice] = "";
    const int source =
        attr.choices == nullptr ? oshen_trials_recall(key, learned) : static_cast<int>(trials::choice_source::file);
    const std::string name = attr.choices == nullptr ? learned : trials::find_choice(attr.choices, key);
    const strategy* found = name.empty() ? nullptr : find_strategy(name.c_str());  // null: of another version
    mine.source = static_cast<trials::choice_source>(source);
    if (found != nullptr) mine.strategy = strategy_index(*found);
  }
  const recall_message reply = group.handshake_with_all(mine)[0];
  if (reply.strategy < 0) return {};
  return {strategy_at(reply.strategy), reply.source};
}

oshen_status_t make_with(oshen_group& group, const oshen_plan_attr_t& attr, known_choice choice,
                         std::unique_ptr<oshen_plan>& plan) {
  const oshen_status_t status = make_plan(group, attr, *choice.used, plan);
  if (status == OSHEN_OK) plan->source = choice.source;
  return status;
}

// Slots for any of the candidates; empty if none needs slots. Collective: no PE has them unless all have.
bool allocate_slots(oshen_group& group, const oshen_plan_attr_t& attr, std::span<const ranked_strategy> candidates,
                    arena_block& slots) {
  std::size_t bytes = 0, at = oshen_arena::npos;
  try {
    for (const ranked_strategy& c : candidates) bytes = std::max(bytes, memory_of(group, attr, *c.used).slots);
    at = bytes == 0 ? 0 : group.arena->allocate(bytes);
  } catch (const std::bad_alloc&) {  // the other PEs must learn of it
  }
  if (at != oshen_arena::npos) slots = {at, bytes};
  if (group.agree(at != oshen_arena::npos ? OSHEN_OK : OSHEN_NO_SPACE) == OSHEN_OK) return true;
  if (slots.bytes != 0) group.arena->deallocate(slots.offset, slots.bytes);
  slots = {};
  return false;
}

// Makes a plan that tries the candidates in its first runs. Leaves `plan` empty if fewer than two of them can be made.
void make_trial_plan(oshen_group& group, const oshen_plan_attr_t& attr, std::span<const ranked_strategy> ranked,
                     trial_setup setup, std::unique_ptr<oshen_plan>& plan) {
  arena_block slots{};
  if (!allocate_slots(group, attr, ranked, slots)) return;
  std::vector<trial_candidate> made;
  for (const ranked_strategy& r : ranked) {
    trial_candidate c{r.used, r.seconds, nullptr};
    if (make_plan(group, attr, *r.used, c.plan, slots) == OSHEN_OK) made.push_back(std::move(c));
  }
  std::unique_ptr<live_trials> trials;
  if (made.size() >= 2) {
    plan = std::move(made[0].plan);
    trials = std::make_unique<live_trials>(group, std::move(made), std::move(setup));
    if (trials->open() == OSHEN_OK) {
      plan->source = trials::choice_source::trying;
      plan->trials = std::move(trials);
      return;
    }
    trials->discard();
  } else if (made.size() == 1) {
    plan = std::move(made[0].plan);
  }
  if (plan != nullptr) close_and_discard(std::move(plan));
  if (slots.bytes != 0) group.arena->deallocate(slots.offset, slots.bytes);
}

// Whether two candidates could be compared in the runs that are expected.
bool enough_runs(const trials::trial_limit& limit, double seconds) {
  return limit.expected_runs == 0 || limit.expected_runs > 2 * trials::trial_course::runs_of(seconds);
}

}  // namespace

oshen_status_t make_auto_plan(oshen_group& group, const oshen_plan_attr_t& attr, std::unique_ptr<oshen_plan>& plan) {
  const plan_traffic all = traffic_of(group, attr, oshen_trials_remaining());
  if (all.sent + all.sent_far == 0) return make_with(group, attr, {strategy_at(0), trials::choice_source::only}, plan);
  const known_choice known = recall(group, attr, all.key);
  if (known.used != nullptr && make_with(group, attr, known, plan) == OSHEN_OK) return OSHEN_OK;

  const std::vector<ranked_strategy> ranked = ranking(attr, all);
  std::size_t n = 0;
  while (n < std::min(ranked.size(), trials::most_candidates) &&
         ranked[n].seconds <= trials::promising * ranked[0].seconds)
    n++;
  const trials::trial_limit limit{share * all.remaining, attr.expected_runs};
  trial_setup setup{limit, all.key, std::nullopt};
  if (attr.choices != nullptr) setup.file = attr.choices;
  if (n >= 2 && limit.seconds > 0 && enough_runs(limit, ranked[0].seconds))
    make_trial_plan(group, attr, std::span(ranked).first(n), std::move(setup), plan);
  if (plan != nullptr) return OSHEN_OK;
  oshen_status_t status = OSHEN_UNSUPPORTED;
  for (const ranked_strategy& r : ranked) {
    status = make_with(group, attr, {r.used, trials::choice_source::model}, plan);
    if (status == OSHEN_OK || status == OSHEN_MISMATCH || status == OSHEN_INVALID) return status;
  }
  return status;
}

}  // namespace oshen::exchange
