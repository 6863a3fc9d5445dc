// Variables for OpenMP in the PEs, so that the threads of all PEs fit on the CPUs.
#pragma once

#include <string>
#include <vector>

#include "oshrun/options.hpp"
#include "shared/cpus.hpp"

namespace oshrun {

// VAR=VALUE for the PEs of `prog`; empty if the user has set them all. A bound PE sees only its own CPUs and needs no
// number of threads. Threads that share CPUs sleep while they wait, because a spinning thread takes the time of the
// thread that it waits for.
std::vector<std::string> openmp_variables(const program& prog, int n_pes, int n_cpus, bool bound);

}  // namespace oshrun
