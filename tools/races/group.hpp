// The PEs of a collective.
#pragma once

#include <cstddef>
#include <vector>

#include "calls.h"

namespace races {

struct members {
  std::vector<int> pes;  // numbers of the world
  std::size_t mine = 0;  // the position of this PE; pes.size() if it is not there
  bool has_me() const { return mine < pes.size(); }
};

members members_of(const races_group& group);
inline members members_of_team(void* team) { return members_of({team, 0, 0, 0, nullptr}); }
// A sync of the group. It orders nothing for the detector.
void meet(const races_group& group);
inline void meet_team(void* team) { meet({team, 0, 0, 0, nullptr}); }

}  // namespace races
