#include <cstddef>

#include "exchange/copy/box_copy.hpp"
#include "exchange/interface/plan_create.hpp"
#include "exchange/plan/diagnostics.hpp"
#include "exchange/plan/plan_setup.hpp"
#include "exchange/strategies/table.hpp"
#include "trials/sized_struct.hpp"

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

bool knows_all(const oshen_plan_attr_t& a) {
  if (a.size >= sizeof a && oshen::uses_only(a, sizeof a)) return true;
  report_error("attr.size = %zu: expected sizeof(oshen_plan_attr_t) = %zu, or more and 0 in the further members",
               a.size, sizeof a);
  return false;
}

oshen_status_t check_attributes(const oshen_group& group, const oshen_plan_attr_t& a) {
  if (!knows_all(a) || a.n_sends < 0 || a.n_receives < 0) return OSHEN_INVALID;
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

}  // namespace oshen::exchange
