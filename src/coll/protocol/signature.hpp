// All PEs of a team make the same collective calls in the same order, with the same root, sizes and operation. What a
// PE calls is said in the upper bits of the flag that goes with its flag slot, so that whoever reads the flag slot
// compares without looking at anything more; a note beside it, which nobody reads unless they differ, has the names for
// the line. Algorithms without flag slots compare under OSHEN_CHECK only, in a sync of their own.
#pragma once

#include "coll/choosing/registry.hpp"

namespace oshen::coll {

inline constexpr int signature_shift = 44;
inline constexpr std::uint64_t flag_number = (std::uint64_t{1} << signature_shift) - 1;

// Signs the present collective of the team.
void sign(kind k, const task& job);

// Under OSHEN_CHECK: meets the team and compares calls; those of other nodes too, where the team has at most 1365 PEs.
void compare_calls(const task& job);

// PE `pe` of the team has posted another call as its present collective: a line, and the end of the job.
[[noreturn, gnu::cold]] void other_call(const task& job, int pe);

}  // namespace oshen::coll
