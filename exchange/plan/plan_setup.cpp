// Making a plan: sorts the messages, allocates memory, and exchanges addresses with the other members.
#include "plan_setup.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "diagnostics.hpp"

namespace oshen::exchange {

void fill_plan(oshen_plan& plan, const oshen_plan_attr_t& attr) {
  plan.pack = attr.pack;
  plan.unpack = attr.unpack;
  plan.context = attr.context;
  plan.n_fields = attr.n_fields == 0 ? 1 : static_cast<std::size_t>(attr.n_fields);
  plan.in_step = attr.in_field_stride;
  plan.out_step = attr.out_field_stride;
  plan.buffers = attr.buffers;
  plan.stats.latest_peer = -1;
  plan.in.assign(plan.n_fields, nullptr);
  plan.out.assign(plan.n_fields, nullptr);
  sort_messages(plan, attr);
}

namespace {

// The local part: everything but the peers' addresses.
oshen_status_t prepare_local(oshen_plan& plan, const oshen_plan_attr_t& attr, layout& l) {
  try {
    fill_plan(plan, attr);
    if (allocate_memory(plan, l)) return OSHEN_OK;
    if (!wants_auto(attr))
      report_error("strategy = \"%s\" needs %zu contiguous bytes of the arena, which has no such block left",
                   plan.strategy->name, l.bytes);
    return OSHEN_NO_SPACE;
  } catch (const std::bad_alloc&) {
    report_error("cannot allocate %zu bytes of ordinary memory for packing messages", plan.staging_bytes);
    return OSHEN_NO_SPACE;
  }
}

}  // namespace

oshen_status_t make_plan(oshen_group& group, const oshen_plan_attr_t& attr, const strategy& chosen,
                         std::unique_ptr<oshen_plan>& plan, arena_block slots) {
  if (!meets_requirements(attr, chosen)) {  // the same on all PEs
    if (group.me == 0 && !wants_auto(attr)) report_missing_requirement(attr, chosen);
    return OSHEN_UNSUPPORTED;
  }
  auto made = std::make_unique<oshen_plan>();
  made->group = &group;
  made->strategy = made->effective = &chosen;
  made->data = slots;
  layout l;
  oshen_status_t status = prepare_local(*made, attr, l);
  if (status != OSHEN_OK) made->sends.clear(), made->receives.clear();
  const auto replies = group.handshake(handshake_messages(*made, l, status));
  status = apply_replies(*made, replies);
  if (status == OSHEN_OK) status = read_all_peer_boxes(*made, replies);
  if (chosen.open != nullptr) {  // collective: called on all members or on none
    status = group.agree(status);
    if (status == OSHEN_OK) status = chosen.open(*made);
  }
  const oshen_status_t all = group.agree(status);
  if (all == OSHEN_OK) {
    plan = std::move(made);
    return OSHEN_OK;
  }
  if (status == OSHEN_OK && chosen.close != nullptr) chosen.close(*made);
  discard_plan(std::move(made));
  return all;
}

void discard_plan(std::unique_ptr<oshen_plan> plan) {
  if (plan->block.bytes != 0) plan->group->arena->deallocate(plan->block.offset, plan->block.bytes);
}

void close_and_discard(std::unique_ptr<oshen_plan> plan) {
  if (plan->strategy->close != nullptr) plan->strategy->close(*plan);
  discard_plan(std::move(plan));
}

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
