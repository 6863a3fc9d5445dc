// Opens and closes the network of a job that spans nodes.
#pragma once

#include "world/world.hpp"

namespace oshen {

// Opens the transport that OSHEN_TRANSPORT names, or the first one that opens on all PEs. Collective over all PEs of
// the job, which must have mapped their nodes' segments. On failure an error has been printed. `one_host`: all PEs are
// on one machine.
status open_network(world& w, bool one_host);
// To be called after the last barrier of the job.
void close_network(world& w);

}  // namespace oshen
