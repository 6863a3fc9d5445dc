// How much memory a plan will take: it is laid out, and thrown away.
#include <algorithm>
#include <new>

#include "plan_memory.hpp"
#include "plan_request.hpp"
#include "plan_setup.hpp"

namespace oshen::exchange {
namespace {

// Symmetric memory in which "auto" tries the strategies: that of the user may be anywhere.
std::size_t rehearsal_bytes(const oshen_plan& plan) {
  const auto promised = [&](unsigned what) { return (plan.buffers & what) != 0; };
  const std::size_t in = aligned(plan.n_fields * plan.in_range.high);
  const std::size_t out = aligned(plan.n_fields * plan.out_range.high);
  if (promised(OSHEN_BUFFERS_APART))
    return (promised(OSHEN_IN_SYMMETRIC) ? in : 0) + (promised(OSHEN_OUT_SYMMETRIC) ? out : 0);
  return promised(OSHEN_IN_SYMMETRIC | OSHEN_OUT_SYMMETRIC) ? std::max(in, out) : 0;
}

oshen_need_t need_of(oshen_group& group, const oshen_plan_attr_t& attr, const strategy& how) {
  oshen_plan plan;
  plan.group = &group;
  plan.how = plan.way = &how;
  fill_in(plan, attr);
  const std::size_t block = lay_out(plan).bytes;
  lay_out_staging(plan);
  const bool rehearses = wants_auto(attr) && attr.pack == nullptr;
  return {block + (rehearses ? rehearsal_bytes(plan) : 0), plan.staging_bytes};
}

// The most that any row takes which may be chosen.
oshen_need_t need_of_any(oshen_group& group, const oshen_plan_attr_t& attr) {
  oshen_need_t most{};
  for (int row = 0; strategy_at(row) != nullptr; row++) {
    if (!has_what_it_needs(attr, *strategy_at(row))) continue;
    const oshen_need_t one = need_of(group, attr, *strategy_at(row));
    most = {std::max(most.symmetric, one.symmetric), std::max(most.ordinary, one.ordinary)};
    if (attr.pack != nullptr) break;  // "auto" takes the first then
  }
  return most;
}

}  // namespace
}  // namespace oshen::exchange

oshen_status_t oshen_plan_need(oshen_group_t* group, const oshen_plan_attr_t* attr, oshen_need_t* need) {
  using namespace oshen::exchange;
  *need = {};
  const oshen_status_t status = examined(*group, *attr);
  if (status != OSHEN_OK) return status;
  try {
    if (wants_auto(*attr)) {
      *need = need_of_any(*group, *attr);
      return OSHEN_OK;
    }
    const strategy& how = *find_strategy(attr->strategy);
    if (!has_what_it_needs(*attr, how)) {
      name_what_is_needed(*attr, how);
      return OSHEN_UNSUPPORTED;
    }
    *need = need_of(*group, *attr, how);
  } catch (const std::bad_alloc&) {
    return OSHEN_NO_SPACE;
  }
  return OSHEN_OK;
}
