// Costs of this machine, in seconds, for the model that ranks strategies. They come from the user's tuning file for
// this machine (oshtune --quick) or the one that OSHEN_COLL_TUNING names; without such a file they are assumed.
#pragma once

#include <string>

namespace oshen::exchange {

struct machine_costs {
  double line = 100e-9;           // until a cache line written on one CPU is visible on another.
  double copy = 0.07e-9;          // each byte that another CPU has written.
  double turn = 1500e-9;          // until a CPU has switched from one PE to the next.
  double network = 20e-6;         // until a flag raised on one node is visible on another.
  double network_message = 4e-6;  // between two messages of one node.
  double network_byte = 0.4e-9;   // each byte of a long message
};

// Enters the lines `cost NAME NUMBER` of a tuning file; ignores all others. Returns whether there was one.
bool read_costs(const std::string& path, machine_costs& costs);

// The costs of this machine; read once per process.
const machine_costs& costs_here();

}  // namespace oshen::exchange
