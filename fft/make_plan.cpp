#include "make_plan.hpp"

#include "messages.hpp"

namespace oshen::fft {

namespace {

oshen_plan_attr_t attributes(const message_lists& lists, const move_attr& how) {
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
  return attr;
}

}  // namespace

oshen_status_t make_plan(oshen_group_t* group, const layout& from, const layout& to,
                         const move_attr& how, oshen_plan_t** plan) {
  const message_lists lists = messages(from, to, oshen_group_rank(group), how.element);
  const oshen_plan_attr_t attr = attributes(lists, how);
  return oshen_plan_create(group, &attr, plan);
}

oshen_need_t plan_need(oshen_group_t* group, const layout& from, const layout& to, const move_attr& how) {
  const message_lists lists = messages(from, to, oshen_group_rank(group), how.element);
  const oshen_plan_attr_t attr = attributes(lists, how);
  oshen_need_t need{};
  oshen_plan_need(group, &attr, &need);  // what is refused here is refused again when it is made
  return need;
}

}  // namespace oshen::fft
