#include "make_plan.hpp"

#include "messages.hpp"

namespace oshen::fft {

oshen_status_t make_plan(oshen_group_t* group, const layout& from, const layout& to,
                         const move_attr& how, oshen_plan_t** plan) {
  const message_lists lists = messages(from, to, oshen_group_rank(group), how.element);
  oshen_plan_attr_t attr{};
  attr.size = sizeof attr;
  attr.strategy = how.strategy;
  attr.sends = lists.sends.data();
  attr.receives = lists.receives.data();
  attr.n_sends = static_cast<int>(lists.sends.size());
  attr.n_receives = static_cast<int>(lists.receives.size());
  attr.n_fields = how.fields;
  attr.in_field_stride = how.in_distance;
  attr.out_field_stride = how.out_distance;
  return oshen_plan_create(group, &attr, plan);
}

}  // namespace oshen::fft
