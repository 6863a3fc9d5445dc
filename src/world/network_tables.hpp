// What a job that spans nodes knows of all its PEs: the address of each for the transport, its host for messages, the
// leader of its node for collectives.
#pragma once

#include "base/status.hpp"
#include "world/network.hpp"
#include "world/world.hpp"

namespace oshen {

// Of an open transport. Collective over all PEs of the job.
status gather_tables(world& w);
void free_tables(network& n);

}  // namespace oshen
