// Jobs on several hosts over ssh: oshrun starts a proxy on each host, which is an oshrun that runs the PEs of that
// host.
//
// A proxy reads its part of the job, including the secret, from standard input; nothing of it is on a command line.
// This control pipe stays open while the job lives. When it closes, for whatever reason, the proxy ends its PEs. The
// PEs connect to each other by TCP.
#pragma once

#include <vector>

#include "oshrun/options.hpp"
#include "oshrun/posix.hpp"

namespace oshrun {

inline constexpr const char* proxy_option = "--proxy";

// Returns the job as the local supervisor sees it: one "PE" for each host, which is the ssh to that host. The caller
// keeps `control_pipes` open until the supervisor has been forked.
options job_over_ssh(const options& asked, std::vector<unique_fd>& control_pipes);

// In a proxy: reads the job from standard input. Exits with a line if the message is invalid.
options read_proxy_options();

}  // namespace oshrun
