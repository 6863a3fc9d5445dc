// The last sync of a team.
#pragma once

#include "coll/choosing/registry.hpp"

namespace oshen::coll {

// Every PE of the team has arrived, and nobody will look into the slot of another, or write there, any more: it may be
// wiped.
void sync_and_part(const task& job);

// On a new team: what sync_and_part() will be told apart by.
void note_endings(team& t);

}  // namespace oshen::coll
