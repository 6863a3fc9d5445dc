// OSHEN_FFT_AUTO: takes what was learned before, or makes the best few ways by the model and tries them in the first
// runs of the transform (live_transform.hpp). Transforms and exchange plans of a process share a budget of time that
// trials may lose.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "fft/choice/auto_transform.hpp"
#include "fft/choice/live_transform.hpp"
#include "fft/choice/trial_pairs.hpp"
#include "fft/geometry/cost.hpp"
#include "fft/moves/agree.hpp"
#include "fft/moves/make_plan.hpp"
#include "fft/passes/wisdom.hpp"
#include "fft/transform/transform_plan.hpp"
#include "trials/fnv1a.hpp"
#include "trials/stopwatch.hpp"
#include "trials/trial_store.hpp"

namespace oshen::fft {
namespace {

using trials::choice_source;

// One transform may lose this share of the budget that is left, because others may be tried at the same time.
constexpr double share = 0.25;

void add(trials::fnv1a& to, const layout& boxes) {
  for (const box& b : boxes)
    for (int a = 0; a < 3; a++)
      for (const int number : {b.low[a], b.size[a], b.order[a]}) to.add(static_cast<std::uint64_t>(number));
}

// A hash of everything that the time of a way depends on. The boxes tell which modes are kept. PEs that reach different
// members have different keys; that of member 0 counts.
std::uint64_t key_of(oshen_group_t* group, const request& wanted) {
  const fft_problem& p = wanted.problem;
  trials::fnv1a hash;
  for (const char c : {'f', 'f', 't'}) hash.add(static_cast<std::uint64_t>(c));
  for (int a = 0; a < 3; a++)
    for (const int number : {p.extent[a], static_cast<int>(p.along[a]), p.names[a]})
      hash.add(static_cast<std::uint64_t>(number));
  for (const bool flag :
       {p.real_in, p.real_out, p.convolves, p.is_matrix, p.symmetric_in, p.symmetric_out, wanted.workspace != nullptr})
    hash.add(flag ? 1 : 0);
  hash.add(p.complex_bytes);
  hash.add(static_cast<std::uint64_t>(p.fields));
  hash.add(static_cast<std::uint64_t>(wanted.kind));
  hash.add(static_cast<std::uint64_t>(shmem_n_pes()));
  for (const char* c = wanted.strategy; c != nullptr && *c != '\0'; c++) hash.add(static_cast<std::uint64_t>(*c));
  for (int member = 0; member < oshen_group_size(group); member++) hash.add(reaches_partners(group, {member}) ? 1 : 0);
  add(hash, p.in);
  add(hash, p.out);
  return hash.value();
}

struct remembered_name {
  char name[trials::longest_choice];
  std::int32_t source;  // -1: nothing is known
};

// Asks member 0 for the choice for transforms of this kind. Collective.
remembered_name recall(oshen_group_t* group, std::uint64_t key) {
  remembered_name mine{};
  mine.source = oshen_group_rank(group) == 0 ? oshen_trials_recall(key, mine.name) : -1;
  std::vector<remembered_name> all;
  if (allgather(group, mine, all) != OSHEN_OK) return {{}, -1};
  return all[0];
}

std::unique_ptr<transform> alone(oshen_group_t* group, const candidate_plan& way, std::unique_ptr<transform> made,
                                 trials::choice_source source) {
  std::vector<live_candidate> one;
  one.push_back({name_of(way), way.chain.cost, std::move(made)});
  return std::make_unique<live_transform>(group, std::move(one), source);
}

struct made_candidates {
  std::vector<live_candidate> all;
  double lost = 0;  // seconds of planning beyond the first one
};

// Makes as many candidates as the time for planning permits, at least one if any fits into memory.
made_candidates make_candidates(oshen_group_t* group, const request& wanted, const std::vector<candidate_plan>& ways,
                                double allowance, oshen_status_t* status) {
  made_candidates made;
  double latest = 0;  // seconds of planning
  for (const candidate_plan& way : ways) {
    if (!made.all.empty() && made.lost + latest > allowance) break;
    const double begin = trials::stopwatch::now();
    auto one = make_transform(group, with_strategy(wanted, way), way.chain, way.options, status);
    latest = largest(group, trials::stopwatch::now() - begin);
    if (!made.all.empty()) made.lost += latest;
    if (one != nullptr) made.all.push_back({name_of(way), way.chain.cost, std::move(one)});
  }
  if (!made.all.empty()) *status = OSHEN_OK;
  return made;
}

// Seconds of a forward or convolving run with each strategy: the passes, and what the model of exchange plans says
// about the moves. Collective.
std::vector<double> estimates_of(oshen_group_t* group, const request& wanted, const route& chain) {
  const int me = oshen_group_rank(group), fields = wanted.problem.fields;
  const transform_plan plan = transform_plan_of(wanted, chain, false, me);
  const bool returns = plan.first_move.size() > 1;
  const std::size_t moves = returns ? static_cast<std::size_t>(plan.first_move[1]) : plan.moves.size();
  machine_model passes_only;
  passes_only.move_per_byte = passes_only.message = passes_only.neighbour_sync = 0;
  const double passes = cost(chain, wanted.problem, passes_only);
  std::vector<double> sum;
  for (std::size_t i = 0; i < moves; i++) {
    const move& m = plan.moves[i];
    const std::size_t to = m.read[static_cast<std::size_t>(me)].span() * m.element;
    const auto one = strategy_estimates(group, m.written, m.read, {m.element, fields, m.from_distance, to, nullptr});
    if (sum.empty()) sum.assign(one.size(), passes);
    for (std::size_t s = 0; s < one.size(); s++) sum[s] = std::min(sum[s], one[s]) < 0 ? -1 : sum[s] + one[s];
  }
  return sum.empty() ? std::vector<double>{passes} : sum;  // without messages any strategy will do
}

}  // namespace

std::vector<candidate_plan> live_candidates(oshen_group_t* group, const request& wanted) {
  const std::vector<candidate_plan> routes = live_routes(wanted);
  if (!tries_strategies(wanted)) return routes;
  estimate_table seconds;
  for (const candidate_plan& one : routes) seconds.push_back(estimates_of(group, wanted, one.chain));
  std::vector<candidate_plan> all;
  for (const trial_pair& pair : trial_pairs(seconds)) {
    oshen_strategy_info_t about{};
    oshen_strategy_at(static_cast<int>(pair.strategy), &about, sizeof about);
    all.push_back(routes[pair.route]);
    all.back().strategy = about.name;
    all.back().chain.cost = pair.seconds;
  }
  return all;
}

request auto_request(oshen_group_t* group, const request& wanted) {
  request resolved = wanted;
  resolved.effort = OSHEN_FFT_BRIEF;  // of FFTW's planner
  if (!wanted.problem.direct) return resolved;
  const std::vector<candidate_plan> ways = live_routes(resolved);
  const transform_plan plan = transform_plan_of(resolved, ways[0].chain, true, oshen_group_rank(group));
  if (largest(group, reaches_partners(group, plan.partners) ? 0 : 1) == 0) return resolved;
  resolved.strategy = "auto";
  resolved.problem.direct = false;
  return resolved;
}

std::unique_ptr<transform> find_live(oshen_group_t* group, const request& asked, oshen_status_t* status) {
  const request wanted = auto_request(group, asked);
  recall_wisdom();
  const std::vector<candidate_plan> ways = live_candidates(group, wanted);
  const std::uint64_t key = key_of(group, wanted);
  const remembered_name known = ways.size() > 1 ? recall(group, key) : remembered_name{{}, -1};
  for (const candidate_plan& way : ways) {
    if (known.source < 0 || name_of(way) != known.name) continue;
    auto made = make_transform(group, with_strategy(wanted, way), way.chain, way.options, status);
    if (made != nullptr) return alone(group, way, std::move(made), static_cast<trials::choice_source>(known.source));
  }

  const double remaining = -largest(group, -oshen_trials_remaining());  // the least of all PEs
  const trials::trial_limit limit{share * std::max(0.0, remaining), wanted.expected_runs};
  made_candidates made = make_candidates(group, wanted, ways, limit.allowance(ways[0].chain.cost), status);
  if (made.all.empty()) return nullptr;
  const auto source = ways.size() == 1 ? trials::choice_source::only : trials::choice_source::model;
  const bool tries = made.all.size() > 1;
  auto result = std::make_unique<live_transform>(group, std::move(made.all), source);
  if (tries) result->try_all(limit, key, made.lost);
  return result;
}

}  // namespace oshen::fft
