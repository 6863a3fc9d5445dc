// Detects a deadlock of the whole job: every PE waits, every condition has been tested since, and nothing has happened
// in between. The protocol and its proof are in design/waiting.md, "Deadlock of the whole job".
#pragma once

#include "world/world.hpp"

namespace oshen {

void enter_wait(world& w, quiescence_state::waiter& me);
void leave_wait(world& w, quiescence_state::waiter& me);

// Ends the job if no PE can go on. Since its last call, `me` has announced a sleep and tested its condition after that.
void check_quiescence(world& w, quiescence_state::waiter& me, std::uint64_t now);

// To be called once this PE has finalized, if everything that it has sent has arrived. It answers all later probes, and
// the last PE of a node for the whole node.
void answer_for_finalized(world& w);

}  // namespace oshen
