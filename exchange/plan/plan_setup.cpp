// Making a plan: sorts the messages, allocates memory, and exchanges addresses with the other members.
#include "exchange/plan/plan_setup.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "exchange/plan/diagnostics.hpp"

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
  const auto replies = group.handshake<address_message>(address_messages(*made, l, status));
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

}  // namespace oshen::exchange

int oshen_plan::peer_of_flag(std::size_t flag) const {
  if (flag < receives.size()) return receives[flag].peer;
  if (flag < barrier_flag()) return sends[flag - receives.size()].peer;
  return barrier.source_in(static_cast<int>(flag - barrier_flag()));
}
