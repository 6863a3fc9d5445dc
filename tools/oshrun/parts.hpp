// A job over several hosts without a launcher: an oshrun on each, started by ssh, has the PEs there.
//
// What such a part is to do comes on its standard input, secret included, and never on a command line. The stream stays
// open as long as the job lives: at its end, for whatever reason, the part ends its PEs. The PEs find each other by
// TCP.
#pragma once

#include <vector>

#include "oshrun/options.hpp"
#include "oshrun/posix.hpp"

namespace oshrun {

inline constexpr const char* part_option = "--part-of-a-job";

// The job as the supervisor here sees it: one "PE" for each host, which is the ssh to it. `leashes` are what must stay
// open.
options over_ssh(const options& asked, std::vector<unique_fd>& leashes);

// In the part: what to do, from standard input. Leaves with a line when nothing sensible comes.
options read_part_of_a_job();

}  // namespace oshrun
