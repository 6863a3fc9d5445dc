// The secret of a job, with which its PEs recognise each other.
#pragma once

#include <string>

namespace oshrun {

// 32 hexadecimal characters from getrandom. Never put them on a command line, which every user of the host can read.
std::string make_secret();
// A random port for PE 0, below the range of ephemeral ports. All PEs must know it before PE 0 listens.
int make_port();

}  // namespace oshrun
