// Requests: the attributes of all members, checked and combined.
#pragma once

#include "fft/transform/transform.hpp"
#include "oshen/fft.h"

namespace oshen::fft {

// Combines the attributes of all members into one request, the same on all, or prints why it is refused. Collective.
// Strings in the request point into `attr`. `routine` is the API call, for messages.
oshen_status_t read_request(oshen_group_t* group, const char* routine, const oshen_fft_attr_t* attr, request* wanted);
oshen_status_t read_request(oshen_group_t* group, const oshen_remap_attr_t* attr, remap_request* wanted);

}  // namespace oshen::fft
