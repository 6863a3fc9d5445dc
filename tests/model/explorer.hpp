// Visits every state that a program can reach, whatever the order in which its threads run and their stores become
// visible. A defect is a failed check, or a state in which unfinished threads remain and none of them can continue.
#pragma once

#include <cstddef>
#include <string>

#include "machine.hpp"

namespace oshen::model {

struct finding {
  std::size_t states = 0;
  std::string trouble;  // empty: none; else what, and the way there
};

finding explore(const program& p, memory_order order);

}  // namespace oshen::model
