// Chooses UCX transports and devices, by kind of device and by the host's routes.
#pragma once

#include "transport/network_rank.hpp"
#include "transport/transport.hpp"
#include "transport/ucx/library.hpp"

namespace oshen::transport::ucx {

struct choice {
  char transports[160] = "";  // UCX_TLS; empty: the environment's
  char devices[256] = "";     // UCX_NET_DEVICES; empty: the environment's
  char about[160] = "";       // such as "tcp on eth0", for messages
  network_rank rank{0, ""};   // of the best
  bool only_tcp = true;       // no card writes memory without notice
  char interface[64] = "";    // of TCP; empty: the environment's
  bool has_atomics = false;   // a device executes all atomic operations of OpenSHMEM
};

// The transports of UCX to use (`options`: as in UCX_TLS, such as "tcp" or "rc,ud", or ""). Unless null, `report` is
// called for every device that UCX offers here, the chosen ones first.
struct device_wish {
  const char* options = "";
  offer_callback report = nullptr;
  void* with = nullptr;
  bool asks_atomics = false;  // sets choice::has_atomics, for which the devices are opened
};
// False: no device reaches other machines; the reason is in `why`.
bool choose(const library& l, const device_wish& wish, choice& made, char* why, std::size_t room);

}  // namespace oshen::transport::ucx
