#include "fft/moves/make_plan.hpp"

#include "trials/strategy_estimates.hpp"

namespace oshen::fft {
namespace {

oshen_plan_attr_t attributes(const message_lists& lists, const move_attr& move) {
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.strategy = move.strategy;
  attr.sends = lists.sends.data();
  attr.receives = lists.receives.data();
  attr.n_sends = static_cast<int>(lists.sends.size());
  attr.n_receives = static_cast<int>(lists.receives.size());
  attr.n_fields = move.fields;
  attr.in_field_stride = move.in_distance;
  attr.out_field_stride = move.out_distance;
  return attr;
}

}  // namespace

oshen_status_t make_plan(oshen_group_t* group, const layout& from, const layout& to, const move_attr& move,
                         oshen_plan_t** plan) {
  const message_lists lists = messages(from, to, oshen_group_rank(group), move.element);
  const oshen_plan_attr_t attr = attributes(lists, move);
  return oshen_plan_create(group, &attr, plan);
}

std::vector<double> strategy_estimates(oshen_group_t* group, const layout& from, const layout& to,
                                       const move_attr& move) {
  const message_lists lists = messages(from, to, oshen_group_rank(group), move.element);
  const oshen_plan_attr_t attr = attributes(lists, move);
  oshen_strategy_info_t about{};
  int n = 0;
  while (oshen_strategy_at(n, &about, sizeof about) != 0) n++;
  std::vector<double> seconds(static_cast<std::size_t>(n));
  if (!oshen_strategy_estimates(group, &attr, n, seconds.data())) seconds.clear();
  return seconds;
}

oshen_need_t plan_need(oshen_group_t* group, const layout& from, const layout& to, const move_attr& move) {
  const message_lists lists = messages(from, to, oshen_group_rank(group), move.element);
  const oshen_plan_attr_t attr = attributes(lists, move);
  oshen_need_t need{};
  oshen_plan_need(group, &attr, &need, sizeof need);  // a refusal is reported again when the plan is made
  return need;
}

}  // namespace oshen::fft
