// What separates the collectives of a team: their numbers, and the sync that all PEs meet in.
#pragma once

#include "coll/choosing/registry.hpp"

namespace oshen::coll {

// Every PE of the team has arrived; stores before it are visible after it.
void sync_team(team& t, const char* routine);

// Begins the next collective that uses flag slots, and bounds how far PEs run ahead of each other.
void begin_collective(team& t, const char* routine);

}  // namespace oshen::coll
