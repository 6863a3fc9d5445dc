// Detects a deadlock of the whole job: every PE waits, every condition has been tested since, and nothing has happened
// in between. The protocol and its proof are in design/waiting.md, "Deadlock of the whole job".
#pragma once

#include "world/world.hpp"

namespace oshen {

// Registers the calling thread as the library's own. That thread has no effect on others unless it is a waiter.
void register_helper(world& w);

void enter_wait(world& w, quiescence_state::waiter& me);
void leave_wait(world& w, quiescence_state::waiter& me);

// Ends the job if no PE can go on. Since its last call, `me` has announced a sleep and tested its condition after that.
void check_quiescence(world& w, quiescence_state::waiter& me, std::uint64_t now);

}  // namespace oshen
