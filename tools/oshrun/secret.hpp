// What the PEs of a job know and strangers do not.
#pragma once

#include <string>

namespace oshrun {

// 32 hexadecimal characters from the kernel. Never on a command line, where every user of the host can read it.
std::string make_secret();
// For PE 0 to listen on, where nobody can tell the others which one is free: below those that the kernel gives out.
int make_port();

}  // namespace oshrun
