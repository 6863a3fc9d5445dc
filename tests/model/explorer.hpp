// Visits every state that a program can reach, in any order of its threads and of the visibility of their stores. A
// defect is a failed check, or a state in which unfinished threads remain and none of them can continue.
#pragma once

#include <cstddef>
#include <string>

#include "machine.hpp"

namespace oshen::model {

struct finding {
  std::size_t states = 0;
  std::string trouble;  // the defect and the steps to it; empty if there is none
};

finding explore(const program& p, memory_order order);

}  // namespace oshen::model
