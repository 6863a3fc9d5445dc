// How a route is run: in which array each stage finds its data. Pure arithmetic.
#pragma once

#include <vector>

#include "route.hpp"

namespace oshen::fft {

// Between a stage and the next: through a transit into another array; or the data stays where it is
// and the next stage works there in place; or it goes into the caller's output at once, because no
// later stage needs other PEs.
enum class step { move, stay, to_output };

std::vector<step> steps_of(const route& way);

// The first stage writes to the caller's output while it still reads the caller's input, in another
// order or size of elements: they must not overlap.
bool needs_input_apart(const route& way);

}  // namespace oshen::fft
