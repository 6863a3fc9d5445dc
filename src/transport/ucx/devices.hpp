// Which of UCX's ways, on which devices: by what they are, and by where the hosts' routes lead.
#pragma once

#include "transport/transport.hpp"
#include "transport/ucx/library.hpp"

namespace oshen::transport::ucx {

struct choice {
  char ways[160] = "";     // UCX_TLS; empty: as the environment has it
  char devices[256] = "";  // UCX_NET_DEVICES; empty: as the environment has it
  char about[160] = "";    // "tcp on eth0", for people
  bool only_tcp = true;    // where no card writes memory by itself
};

// `options`: the ways that are wanted, as in UCX_TLS ("tcp", "rc,ud"), or "". Calls seen(), which may be null, for
// everything that UCX has here, what is taken first. False with the reason in `why` when nothing of it leads off this
// machine.
bool choose(const library& l, const char* options, offer_seen seen, void* with, choice& made, char* why,
            std::size_t room);

}  // namespace oshen::transport::ucx
