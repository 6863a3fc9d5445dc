// Whether everything that this PE has sent to other nodes has arrived there. The network acknowledges operations of
// contexts, but not flags of collectives. So this PE asks each PE to which it is connected: the question travels behind
// the flags.
#pragma once

#include <cstdint>

#include "world/network.hpp"
#include "world/world.hpp"

namespace oshen {

// The number of operations of this PE, so far, that change memory on other nodes. It never decreases.
std::uint64_t count_changes(network& n);

// True if all these operations are complete. Never waits: it goes on with the questions, and the caller calls again.
// One thread at a time may call it.
bool all_has_arrived(world& w);

// The same for a PE that finalizes: waits for up to 0.1 s.
bool all_arrives_soon(world& w);

// Waits until no question of this PE is open. To be called before the network closes, while all peers still answer.
void finish_questions(world& w);

}  // namespace oshen
