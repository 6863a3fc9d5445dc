// How much memory a plan will take: computes its layout without making it.
#include <algorithm>
#include <new>

#include "plan_setup.hpp"

namespace oshen::exchange {
namespace {

// Symmetric memory for the trial buffers of "auto", which need not be in the user's buffers.
std::size_t trial_bytes(const oshen_plan& plan) {
  const auto promised = [&](unsigned what) { return (plan.buffers & what) != 0; };
  const std::size_t in = aligned(plan.n_fields * plan.in_range.high);
  const std::size_t out = aligned(plan.n_fields * plan.out_range.high);
  if (promised(OSHEN_BUFFERS_APART))
    return (promised(OSHEN_IN_SYMMETRIC) ? in : 0) + (promised(OSHEN_OUT_SYMMETRIC) ? out : 0);
  return promised(OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC) ? std::max(in, out) : 0;
}

oshen_need_t need_of(oshen_group& group, const oshen_plan_attr_t& attr, const strategy& candidate) {
  oshen_plan plan;
  plan.group = &group;
  plan.strategy = plan.effective = &candidate;
  fill_plan(plan, attr);
  const std::size_t block = compute_layout(plan).bytes;
  assign_staging(plan);
  const bool measures = wants_auto(attr) && attr.pack == nullptr;
  return {block + (measures ? trial_bytes(plan) : 0), plan.staging_bytes};
}

// The most that any usable strategy takes.
oshen_need_t need_of_any(oshen_group& group, const oshen_plan_attr_t& attr) {
  oshen_need_t most{};
  for (int index = 0; strategy_at(index) != nullptr; index++) {
    if (!meets_requirements(attr, *strategy_at(index))) continue;
    const oshen_need_t one = need_of(group, attr, *strategy_at(index));
    most = {std::max(most.symmetric, one.symmetric), std::max(most.ordinary, one.ordinary)};
    if (attr.pack != nullptr) break;  // "auto" uses the first strategy then
  }
  return most;
}

}  // namespace
}  // namespace oshen::exchange

oshen_status_t oshen_plan_need(oshen_group_t* group, const oshen_plan_attr_t* attr, oshen_need_t* need) {
  using namespace oshen::exchange;
  *need = {};
  const oshen_status_t status = check_attributes(*group, *attr);
  if (status != OSHEN_OK) return status;
  try {
    if (wants_auto(*attr)) {
      *need = need_of_any(*group, *attr);
      return OSHEN_OK;
    }
    const strategy& candidate = *find_strategy(attr->strategy);
    if (!meets_requirements(*attr, candidate)) {
      report_missing_requirement(*attr, candidate);
      return OSHEN_UNSUPPORTED;
    }
    *need = need_of(*group, *attr, candidate);
  } catch (const std::bad_alloc&) {
    return OSHEN_NO_SPACE;
  }
  return OSHEN_OK;
}
