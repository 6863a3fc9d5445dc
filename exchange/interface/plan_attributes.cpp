#include "plan_setup.hpp"

#include <cstddef>
#include <cstring>

#include "box_copy.hpp"
#include "diagnostics.hpp"
#include "group.hpp"
#include "plan.hpp"

namespace oshen::exchange {
namespace {

bool valid(message_list messages, const char* name, int n_members, bool boxes) {
  for (std::size_t i = 0; i < messages.size(); i++) {
    const oshen_message_t& m = messages[i];
    if (m.peer >= 0 && m.peer < n_members && (!boxes || m.bytes == m.box.element * volume(m.box))) continue;
    report_message(m, name, i, n_members, boxes);
    return false;
  }
  return true;
}

}  // namespace

message_list sends_of(const oshen_plan_attr_t& a) { return {a.sends, static_cast<std::size_t>(a.n_sends)}; }
message_list receives_of(const oshen_plan_attr_t& a) { return {a.receives, static_cast<std::size_t>(a.n_receives)}; }

bool wants_auto(const oshen_plan_attr_t& attr) {
  return attr.strategy != nullptr && std::strcmp(attr.strategy, auto_name) == 0;
}

oshen_status_t check_attributes(const oshen_group& group, const oshen_plan_attr_t& a) {
  if (a.size != sizeof a || a.n_sends < 0 || a.n_receives < 0) return OSHEN_INVALID;
  if ((a.n_sends > 0 && a.sends == nullptr) || (a.n_receives > 0 && a.receives == nullptr)) return OSHEN_INVALID;
  if ((a.pack == nullptr) != (a.unpack == nullptr)) return OSHEN_INVALID;
  if (a.n_fields < 0 || a.n_fields > static_cast<int>(max_fields)) return OSHEN_INVALID;
  if (a.expected_runs < 0) {
    report_error("expected_runs = %d: expected 0 or more", a.expected_runs);
    return OSHEN_INVALID;
  }
  if (!wants_auto(a) && find_strategy(a.strategy) == nullptr) {
    report_error("strategy = \"%s\": no such strategy: expected a name from oshen_strategy_at or \"auto\"", a.strategy);
    return OSHEN_INVALID;
  }
  const bool boxes = a.pack == nullptr;
  if (!boxes && (a.send_offsets != nullptr || a.receive_offsets != nullptr)) {
    report_error("send_offsets and receive_offsets are for messages with boxes: expected NULL with pack and unpack");
    return OSHEN_INVALID;
  }
  return valid(sends_of(a), "sends", group.size(), boxes) && valid(receives_of(a), "receives", group.size(), boxes)
             ? OSHEN_OK
             : OSHEN_INVALID;
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
