// Where a collective happens: on which team, in which routine of the user.
#pragma once

#include "world/team.hpp"

namespace oshen::coll {

struct team_call {
  team* members;
  const char* routine;
};

}  // namespace oshen::coll
