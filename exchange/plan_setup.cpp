// Making a plan: sort the messages, find memory, and learn where the others want theirs.
#include "plan_setup.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "complaints.hpp"
#include "plan_handshake.hpp"
#include "plan_memory.hpp"
#include "plan_request.hpp"
#include "plan_sort.hpp"

namespace oshen::exchange {

void fill_in(oshen_plan& plan, const oshen_plan_attr_t& attr) {
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
  sort(plan, attr);
}

namespace {

// Local part: everything but where the others are.
oshen_status_t prepare(oshen_plan& plan, const oshen_plan_attr_t& attr, layout& l) {
  try {
    fill_in(plan, attr);
    if (find_memory(plan, l)) return OSHEN_OK;
    if (!wants_auto(attr))
      complain("the arena has no %zu bytes in one piece left, which strategy %s needs here", l.bytes, plan.how->name);
    return OSHEN_NO_SPACE;
  } catch (const std::bad_alloc&) {
    complain("this process has no %zu bytes of ordinary memory, in which messages are packed", plan.staging_bytes);
    return OSHEN_NO_SPACE;
  }
}

}  // namespace

oshen_status_t make(oshen_group& group, const oshen_plan_attr_t& attr, const strategy& how,
                    std::unique_ptr<oshen_plan>& plan) {
  if (!has_what_it_needs(attr, how)) {  // the same everywhere
    if (group.me == 0 && !wants_auto(attr)) name_what_is_needed(attr, how);
    return OSHEN_UNSUPPORTED;
  }
  auto made = std::make_unique<oshen_plan>();
  made->group = &group;
  made->how = made->way = &how;
  layout l;
  oshen_status_t status = prepare(*made, attr, l);
  if (status != OSHEN_OK) made->sends.clear(), made->receives.clear();
  const auto heard = group.handshake(notes(*made, l, status));
  status = hear(*made, heard);
  if (status == OSHEN_OK) status = fetch_far_boxes(*made, heard);
  if (how.open != nullptr) {  // collective: only if all of them call it
    status = group.agree(status);
    if (status == OSHEN_OK) status = how.open(*made);
  }
  const oshen_status_t all = group.agree(status);
  if (all == OSHEN_OK) {
    plan = std::move(made);
    return OSHEN_OK;
  }
  if (status == OSHEN_OK && how.close != nullptr) how.close(*made);
  unmake(std::move(made));
  return all;
}

void unmake(std::unique_ptr<oshen_plan> plan) {
  if (plan->block.bytes != 0) plan->group->arena->give_back(plan->block.offset, plan->block.bytes);
}

namespace {

// Learns whether all PEs want the same sort of plan; deferred memory is freed as well.
oshen_status_t open_handshake(oshen_group& group, const oshen_plan_attr_t& attr) {
  note saying{};
  saying.status = static_cast<std::int32_t>(examined(group, attr));
  saying.busy = group.busy;
  if (saying.status == OSHEN_OK) {
    const int row = wants_auto(attr) ? -1 : strategy_index(*find_strategy(attr.strategy));
    const int fields = attr.n_fields == 0 ? 1 : attr.n_fields;
    saying.shape = ((row + 1) * 64 + fields) * 16 + static_cast<std::int32_t>(attr.buffers & 7) +
                   (attr.pack != nullptr ? 8 : 0);
  }
  std::int32_t worst = saying.status;
  bool idle = true, same = true;
  for (const note& said : group.handshake(saying)) {
    worst = std::max(worst, said.status);
    idle = idle && said.busy == 0;
    same = same && said.shape == saying.shape;
  }
  if (idle) group.free_deferred();
  if (worst != OSHEN_OK) return static_cast<oshen_status_t>(worst);
  return same ? OSHEN_OK : OSHEN_MISMATCH;
}

}  // namespace
}  // namespace oshen::exchange

oshen_status_t oshen_plan_create(oshen_group_t* group, const oshen_plan_attr_t* attr,
                                 oshen_plan_t** plan) {
  using namespace oshen::exchange;
  *plan = nullptr;
  oshen_status_t status = open_handshake(*group, *attr);
  if (status != OSHEN_OK) return status;
  std::unique_ptr<oshen_plan> made;
  status = wants_auto(*attr) ? make_fastest(*group, *attr, made)
                             : make(*group, *attr, *find_strategy(attr->strategy), made);
  *plan = made.release();
  return status;
}
