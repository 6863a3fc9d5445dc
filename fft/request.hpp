// From what the members of a group ask for to one request, the same on all; or a refusal.
#pragma once

#include "oshen/fft.h"
#include "transform.hpp"

namespace oshen::fft {

// Collective. Strings of the request are those of `attr`; `routine` asks.
oshen_status_t read_request(oshen_group_t* group, const char* routine, const oshen_fft_attr_t* attr, request* wanted);

struct remap_request {
  layout in, out;
  std::size_t element = 0;
  int fields = 1;
  std::size_t in_distance = 0, out_distance = 0;  // elements
};
oshen_status_t read_request(oshen_group_t* group, const oshen_remap_attr_t* attr,
                            remap_request* wanted);

}  // namespace oshen::fft
