// Cutting a team into teams (OpenSHMEM 1.6, 9.4.1; and by colour or list, which the standard lacks).
// Collective over the parent unless said otherwise. 0 is success; a PE that is in no new team gets null.
#pragma once

#include "coll/engine/team_call.hpp"

namespace oshen::coll {

int split_strided(team_call parent, int start, int stride, int size, team*& fresh);
// Both teams or, on all PEs of the parent, none.
int split_2d(team_call parent, int xrange, team*& xaxis, team*& yaxis);
// PEs with one colour form a team, in the order of their keys; a negative colour stays out.
int split_color(team_call parent, int color, int key, team*& fresh);
// Collective over the listed PEs of the world only.
int create_from_list(team_call world_team, const int* pes, int n, team*& fresh);

}  // namespace oshen::coll
