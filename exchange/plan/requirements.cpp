#include <cstring>

#include "exchange/plan/diagnostics.hpp"
#include "exchange/plan/plan_setup.hpp"

namespace oshen::exchange {

message_list sends_of(const oshen_plan_attr_t& a) { return {a.sends, static_cast<std::size_t>(a.n_sends)}; }
message_list receives_of(const oshen_plan_attr_t& a) { return {a.receives, static_cast<std::size_t>(a.n_receives)}; }

bool wants_auto(const oshen_plan_attr_t& attr) {
  return attr.strategy != nullptr && std::strcmp(attr.strategy, auto_name) == 0;
}

bool meets_requirements(const oshen_plan_attr_t& attr, const strategy& candidate) {
  const auto lacks = [&](unsigned need, bool has) { return (candidate.needs & need) != 0 && !has; };
  return !lacks(need_boxes, attr.pack == nullptr) &&
         !lacks(need_in_symmetric, (attr.buffers & OSHEN_IN_SYMMETRIC) != 0) &&
         !lacks(need_out_symmetric, (attr.buffers & OSHEN_OUT_SYMMETRIC) != 0) &&
         !lacks(need_apart, (attr.buffers & OSHEN_BUFFERS_APART) != 0);
}

void report_missing_requirement(const oshen_plan_attr_t& attr, const strategy& candidate) {
  const auto lacks = [&](unsigned need, unsigned promise) {
    return (candidate.needs & need) != 0 && (attr.buffers & promise) == 0;
  };
  if ((candidate.needs & need_boxes) != 0 && attr.pack != nullptr)
    report_error("strategy = \"%s\" needs messages with boxes, not callbacks", candidate.name);
  else if (lacks(need_out_symmetric, OSHEN_OUT_SYMMETRIC))
    report_missing_promise(candidate.name, "OSHEN_OUT_SYMMETRIC",
                           "outputs of all runs lie in the arena or the symmetric heap");
  else if (lacks(need_in_symmetric, OSHEN_IN_SYMMETRIC))
    report_missing_promise(candidate.name, "OSHEN_IN_SYMMETRIC",
                           "inputs of all runs lie in the arena or the symmetric heap");
  else if (lacks(need_apart, OSHEN_BUFFERS_APART))
    report_missing_promise(candidate.name, "OSHEN_BUFFERS_APART", "the input and output of a run never overlap");
}

}  // namespace oshen::exchange
