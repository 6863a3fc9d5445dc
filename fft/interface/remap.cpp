// The C interface of remaps: an exchange plan between two layouts.
#include <memory>

#include "fft/interface/request.hpp"
#include "fft/moves/make_plan.hpp"
#include "oshen/fft.h"

struct oshen_remap {
  oshen_plan_t* plan;
};

oshen_status_t oshen_remap_create(oshen_group_t* group, const oshen_remap_attr_t* attr, oshen_remap_t** remap) {
  *remap = nullptr;
  oshen::fft::remap_request wanted;
  oshen_status_t status = oshen::fft::read_request(group, attr, &wanted);
  if (status != OSHEN_OK) return status;
  const std::size_t element = wanted.element;
  const oshen::fft::move_attr move{element, wanted.fields, wanted.in_distance * element, wanted.out_distance * element,
                                   attr->strategy};
  oshen_plan_t* plan = nullptr;
  status = oshen::fft::make_plan(group, wanted.in, wanted.out, move, &plan);
  if (status == OSHEN_OK) *remap = new oshen_remap{plan};
  return status;
}

void oshen_remap_destroy(oshen_remap_t* remap) {
  if (remap == nullptr) return;
  oshen_plan_destroy(remap->plan);
  delete remap;
}

void oshen_remap_run(oshen_remap_t* remap, const void* in, void* out) { oshen_plan_run(remap->plan, in, out); }

void oshen_remap_start(oshen_remap_t* remap, const void* in, void* out) { oshen_plan_start(remap->plan, in, out); }

int oshen_remap_test(oshen_remap_t* remap) { return oshen_plan_test(remap->plan); }

void oshen_remap_wait(oshen_remap_t* remap) { oshen_plan_release(remap->plan); }
