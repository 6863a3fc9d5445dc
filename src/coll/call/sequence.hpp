// The sequence of collective calls of a team, and the synchronisation of a team: sync_team() is every barrier of the
// library. Each collective has the next number of its team, and the slots in shared memory of that number.
#pragma once

#include "world/team.hpp"

namespace oshen::coll {

// Synchronises the team by the algorithm that is selected for it (select/selection.cpp): when a PE returns, all PEs
// have called, and the stores that they made before are visible to it.
void sync_team(team& t, const char* routine);

// Counts the next collective that uses flag slots. Every 16th call synchronises the team, which bounds how far PEs run
// ahead of each other.
void begin_collective(team& t, const char* routine);

// Begins a further round of the present call, which counts as a collective, so that it has flag slots of its own. The
// signature and the call record of the call go on to the next index.
void begin_round(team& t, const char* routine);

// The index of the flag slot, and of the other slots, that the present collective uses.
inline std::size_t slot_index(const team& t) { return t.collectives % flag_slots; }

}  // namespace oshen::coll
