// What every PE of a team says in one collective, side by side in memory of the team's PE 0, in the order of the team.
// For teams whose PEs share CPUs: who reads what hundreds say finds a page or two where flag slots are one each.
#pragma once

#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {

// A team can do it, for `bytes` bytes of each PE.
inline bool has_table(const team& t, std::size_t bytes) {
  return !t.home->waiting.cpu_for_each && !t.spans && t.slot < max_workspaces &&
         static_cast<std::size_t>(t.n_pes) * bytes <= table_bytes;
}

// The table of the present collective. A collective that takes one lets nobody go before all have come; so who writes
// here knows that all have done with the one before the last, which lay in the same place.
inline std::byte* next_table(team& t) {
  if (t.my_pe == 0) t.used_workspace = true;
  return t.workspace_of(0).near.tables[++t.tables % 2];
}

}  // namespace oshen::coll
