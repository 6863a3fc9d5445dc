// How PE 0 of a job is reached: what a launcher has to carry from PE 0 to all others, once.
#pragma once

#include "base/sip.hpp"
#include "os/socket.hpp"

namespace oshen::boot {

struct hub_address {
  sip_key secret;         // of the job; who has it belongs to it
  std::uint64_t local;    // name in the abstract namespace of PE 0's network
  std::uint16_t port;
  std::uint16_t n_addresses;
  std::uint32_t reserved;
  char host[64];          // for messages
  os::network_address addresses[os::most_addresses];
};

}  // namespace oshen::boot
