// Into how many chunks the strategy "pipeline" cuts the boxes of a plan: for the strategy, and for the model that
// estimates its time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exchange/copy/chunked_remap.hpp"
#include "exchange/plan/plan.hpp"

namespace oshen::exchange {

// The numbers of chunks that this PE can use, as a set: bit K - 1 for K. The messages of `plan` are sorted. Prepares
// `remap`, if each parcel is one box.
std::uint64_t possible_chunks(const oshen_plan& plan, chunked_remap& remap);

// The smallest number in the intersection of all PEs' sets; 1 if it is empty. With one chunk the plan works as
// put_signal.
std::size_t common_chunks(std::uint64_t possible_on_all);

// Of a plan with the strategy "pipeline" (strategies/pipeline.cpp).
std::size_t chunks_of(const oshen_plan& plan);

}  // namespace oshen::exchange
