// How much memory a transform may take, before it is made.
#pragma once

#include <vector>

#include "transform.hpp"

namespace oshen::fft {

// The ways that find_transform may take, and how it may make them, so far as memory depends on it.
struct possibility {
  route way;
  tuning how;
};
std::vector<possibility> possibilities(const request& wanted);
// What a buffer to try on takes of the arena.
std::size_t trial_bytes(const request& wanted, int me);

// What find_transform may take on this PE. Collective.
oshen_fft_need_t need_of(oshen_group_t* group, const request& wanted);

}  // namespace oshen::fft
