// Creates a plan: all members agree on the attributes, then make it with the chosen strategy or "auto".
#include "exchange/interface/plan_create.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "exchange/choice/auto_strategy.hpp"
#include "exchange/plan/plan_setup.hpp"
#include "exchange/strategies/table.hpp"

namespace oshen::exchange {
namespace {

// Checks that all PEs have valid arguments and want the same kind of plan. Frees deferred memory as well.
oshen_status_t agree_on_attributes(oshen_group& group, const oshen_plan_attr_t& attr, oshen_status_t status) {
  handshake_message local{};
  local.status = static_cast<std::int32_t>(status);
  local.active_runs = group.active_runs;
  if (local.status == OSHEN_OK) {
    const int index = wants_auto(attr) ? -1 : strategy_index(*find_strategy(attr.strategy));
    const int fields = attr.n_fields == 0 ? 1 : attr.n_fields;
    local.choice = wants_auto(attr) ? attr.expected_runs : 0;
    local.signature =
        ((index + 1) * 64 + fields) * 16 + static_cast<std::int32_t>(attr.buffers & 7) + (attr.pack != nullptr ? 8 : 0);
  }
  std::int32_t worst = local.status;
  bool idle = true, same = true;
  for (const handshake_message& reply : group.handshake(local)) {
    worst = std::max(worst, reply.status);
    idle = idle && reply.active_runs == 0;
    same = same && reply.signature == local.signature && reply.choice == local.choice;
  }
  if (idle) group.free_deferred();
  if (worst != OSHEN_OK) return static_cast<oshen_status_t>(worst);
  return same ? OSHEN_OK : OSHEN_MISMATCH;
}

}  // namespace

oshen_status_t create_plan(oshen_group& group, const oshen_plan_attr_t& attr, oshen_status_t status,
                           oshen_plan_t** plan) {
  *plan = nullptr;
  status = agree_on_attributes(group, attr, status);
  if (status != OSHEN_OK) return status;
  std::unique_ptr<oshen_plan> made;
  status = wants_auto(attr) ? make_auto_plan(group, attr, made)
                            : make_plan(group, attr, *find_strategy(attr.strategy), made);
  *plan = made.release();
  return status;
}

}  // namespace oshen::exchange

oshen_status_t oshen_plan_create(oshen_group_t* group, const oshen_plan_attr_t* attr, oshen_plan_t** plan) {
  using namespace oshen::exchange;
  return create_plan(*group, *attr, check_attributes(*group, *attr), plan);
}
