#include "plan.hpp"

#include "box_copy.hpp"

namespace oshen::exchange {

void pack_parcel(const oshen_plan& plan, const parcel& parcel, const void* in, std::byte* wire) {
  for (const auto& m : parcel.messages) {
    if (plan.pack != nullptr) {
      plan.pack(plan.context, m.number, in, wire + m.offset);
    } else {
      gather(m.box, static_cast<const std::byte*>(in), wire + m.offset);
    }
  }
}

void unpack_parcel(const oshen_plan& plan, const parcel& parcel, const std::byte* wire, void* out) {
  for (const auto& m : parcel.messages) {
    if (plan.unpack != nullptr) {
      plan.unpack(plan.context, m.number, wire + m.offset, out);
    } else {
      scatter(m.box, wire + m.offset, static_cast<std::byte*>(out));
    }
  }
}

}  // namespace oshen::exchange

void oshen_plan_run(oshen_plan_t* plan, const void* in, void* out) {
  plan->how->run(*plan, in, out);
  plan->group->runs++;
  plan->runs++;
}

void oshen_plan_destroy(oshen_plan_t* plan) {
  delete plan;
}

void oshen_plan_stats(const oshen_plan_t* plan, oshen_plan_stats_t* stats) {
  const auto& one = plan->one_run;
  *stats = {plan->runs,
            plan->runs * one.messages,
            plan->runs * one.bytes,
            plan->runs * one.bytes_direct,
            plan->runs * one.bytes_self,
            plan->pack_seconds,
            plan->wait_seconds,
            plan->unpack_seconds,
            -1,
            0,
            0};
}

const char* oshen_status_text(oshen_status_t status) {
  switch (status) {
    case OSHEN_OK:
      return "no error";
    case OSHEN_INVALID:
      return "an argument of the plan makes no sense";
    case OSHEN_UNSUPPORTED:
      return "the strategy needs what this plan or this machine has not";
    case OSHEN_NO_SPACE:
      return "too little memory: make the arena larger";
    case OSHEN_MISMATCH:
      return "what is sent is not what is received";
  }
  return "unknown status";
}
