// Runs one collective call: checks it, selects the algorithm for its team and size, and runs that.
#pragma once

#include "coll/collective.hpp"

namespace oshen::coll {

void run(kind k, collective_call& call);

// ---- the checks of OSHEN_CHECK --------------------------------------------------------------------------------

// Source and dest are symmetric, lie within one block or variable each, and do not overlap.
[[gnu::cold]] void check_buffers(kind k, const collective_call& call);

// A change of the signature of calls that need the same symmetric object as dest on all PEs.
std::uint64_t signature_of_dest(kind k, const collective_call& call);

// An argument of a call, with its name for the message.
struct named_value {
  const char* name;
  std::int64_t value;
};
// Synchronises the team. Ends the job if its PEs call different routines or give different values. `n` is at most
// most_call_values, and all PEs pass the same names. `which_team` is for the message.
[[gnu::cold]] void compare_values(team_call at, const named_value* given, int n, const char* which_team);

}  // namespace oshen::coll
