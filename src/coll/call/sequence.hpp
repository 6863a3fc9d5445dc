// The sequence of collective calls of a team, and the synchronisation of a team: sync_team() is every barrier of the
// library. Each collective has the next number of its team, and the slots in shared memory of that number.
#pragma once

#include "world/team.hpp"

namespace oshen::coll {

// Synchronises the team by the algorithm that is selected for it (select/selection.cpp): when a PE returns, all PEs
// have called, and the stores that they made before are visible to it.
void sync_team(team& t, const char* routine);

// team::flag holds the number of the collective and, above it, a signature (call/signature.hpp).
inline constexpr int signature_shift = 44;
inline constexpr std::uint64_t flag_number = (std::uint64_t{1} << signature_shift) - 1;

// The present collective has been counted, and no PE has entered it before its own sync.
[[gnu::cold]] void sync_before_collective(team& t, const char* routine);

// Counts the next collective that uses flag slots. It synchronises the team if not all PEs are known to have ended the
// collective that used the same slot before, 16 collectives ago. So PEs run ahead of each other by 16 at most, and no
// PE reads a flag slot while it is overwritten.
inline void begin_collective(team& t, const char* routine) {
  t.routine = routine;
  t.flag = ++t.collectives & flag_number;
  if (t.collectives - t.ended_by_all > flag_slots) [[unlikely]]
    sync_before_collective(t, routine);
}

// Says that a PE will not begin another collective or round before every PE has entered collective `number`. Then all
// of them have ended the collectives before it. All PEs call this for the same collectives.
inline void note_needs_all(team& t, std::uint64_t number) { t.ended_by_all = number - 1; }

// Begins a further round of the present call, which counts as a collective, so that it has flag slots of its own. The
// signature and the call record of the call go on to the next index.
void begin_round(team& t, const char* routine);

// The index of the flag slot, and of the other slots, that the present collective uses.
inline std::size_t slot_index(const team& t) { return t.collectives % flag_slots; }

}  // namespace oshen::coll
