// What OpenMP in a PE is told, so that the threads of all PEs fit on the CPUs.
#pragma once

#include <string>
#include <vector>

#include "oshrun/cpus.hpp"
#include "oshrun/options.hpp"

namespace oshrun {

// VAR=VALUE for the environment of the PEs of `part`; empty when the user has said it all. A PE that
// is bound sees its share by itself. Threads that must share CPUs are told to sleep while they wait:
// a runtime that spins takes the time of the thread that it waits for.
std::vector<std::string> openmp_share(const program& part, int n_pes, int n_cpus, bool bound);

}  // namespace oshrun
