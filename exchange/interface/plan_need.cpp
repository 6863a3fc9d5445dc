// How much memory a plan will take: computes its layout without making it.
#include <algorithm>
#include <new>

#include "exchange/choice/live_trials.hpp"
#include "exchange/interface/plan_create.hpp"
#include "exchange/plan/plan_setup.hpp"
#include "exchange/strategies/table.hpp"
#include "trials/sized_struct.hpp"

namespace oshen::exchange {
namespace {

// The most that any usable strategy takes, and several candidates with their trials, which share the slots.
oshen_need_t need_of_auto(oshen_group& group, const oshen_plan_attr_t& attr) {
  plan_memory most{};
  for (int index = 0; strategy_at(index) != nullptr; index++) {
    if (!meets_requirements(attr, *strategy_at(index))) continue;
    const plan_memory one = memory_of(group, attr, *strategy_at(index));
    most = {std::max(most.control, one.control), std::max(most.slots, one.slots), std::max(most.staging, one.staging)};
  }
  return {trials::most_candidates * most.control + most.slots + live_trials::control_bytes_of(group), most.staging};
}

}  // namespace
}  // namespace oshen::exchange

oshen_status_t oshen_plan_need(oshen_group_t* group, const oshen_plan_attr_t* attr, oshen_need_t* need,
                               std::size_t size) {
  using namespace oshen::exchange;
  oshen::fill_struct(need, size, oshen_need_t{});
  const oshen_status_t status = check_attributes(*group, *attr);
  if (status != OSHEN_OK) return status;
  try {
    if (wants_auto(*attr)) {
      oshen::fill_struct(need, size, need_of_auto(*group, *attr));
      return OSHEN_OK;
    }
    const strategy& candidate = *find_strategy(attr->strategy);
    if (!meets_requirements(*attr, candidate)) {
      report_missing_requirement(*attr, candidate);
      return OSHEN_UNSUPPORTED;
    }
    const plan_memory one = memory_of(*group, *attr, candidate);
    oshen::fill_struct(need, size, oshen_need_t{one.control + one.slots, one.staging});
  } catch (const std::bad_alloc&) {
    return OSHEN_NO_SPACE;
  }
  return OSHEN_OK;
}
