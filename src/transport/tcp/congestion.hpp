// The congestion control of the connections (TCP_CONGESTION of tcp(7)). Some systems choose bbr for all sockets. It
// spreads the packets of a connection over time, which helps on long ways that many share. Between the hosts of a job
// it delays packets that could leave at once. So the connections take another one.
#pragma once

#include <cstddef>

namespace oshen::transport::tcp {

struct congestion_control {
  char name[16];  // empty: that of the kernel
  const char* wanted() const { return name[0] != '\0' ? name : nullptr; }
};

// As OSHEN_TCP_CONGESTION says. False: the kernel refuses it, and the reason is in `why`.
bool choose_congestion_control(congestion_control& chosen, char* why, std::size_t room);

}  // namespace oshen::transport::tcp
