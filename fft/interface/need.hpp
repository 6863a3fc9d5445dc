// The memory of a transform before it is made.
#pragma once

#include "fft/transform/transform.hpp"

namespace oshen::fft {

// The most that find_transform or find_reblocked may use on this PE. Collective.
oshen_fft_need_t need_of(oshen_group_t* group, const request& wanted);

}  // namespace oshen::fft
