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

// The attributes that must be equal on all PEs.
struct common_attributes {
  std::int32_t strategy;  // its index, or -1: "auto"
  std::int32_t n_fields;
  std::int32_t buffers;
  std::int32_t expected_runs;  // of "auto"
  bool packs;                  // by a function of the user

  bool operator==(const common_attributes&) const = default;
};

struct attributes_message {
  oshen_status_t status;
  std::int32_t active_runs;
  common_attributes common;
};

common_attributes common_part(const oshen_plan_attr_t& attr) {
  return {.strategy = wants_auto(attr) ? -1 : strategy_index(*find_strategy(attr.strategy)),
          .n_fields = attr.n_fields == 0 ? 1 : attr.n_fields,
          .buffers = static_cast<std::int32_t>(attr.buffers & 7),
          .expected_runs = wants_auto(attr) ? attr.expected_runs : 0,
          .packs = attr.pack != nullptr};
}

// Checks that all PEs have valid arguments and want the same kind of plan. Frees deferred memory as well.
oshen_status_t agree_on_attributes(oshen_group& group, const oshen_plan_attr_t& attr, oshen_status_t status) {
  attributes_message local{.status = status, .active_runs = group.active_runs, .common = {}};
  if (status == OSHEN_OK) local.common = common_part(attr);
  oshen_status_t worst = status;
  bool idle = true, same = true;
  for (const attributes_message& reply : group.handshake_with_all(local)) {
    worst = std::max(worst, reply.status);
    idle = idle && reply.active_runs == 0;
    same = same && reply.common == local.common;
  }
  if (idle) group.free_deferred();
  if (worst != OSHEN_OK) return worst;
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
