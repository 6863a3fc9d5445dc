// Making and ending teams. Forming a team is a collective operation of its members, and of nobody else: the
// new team's PE 0 claims a slot that is free on all members and tells them its number.
#pragma once

#include "coll/collective.hpp"
#include "world/world.hpp"

namespace oshen::coll {

// Who is to be in a team, in the order of the team: by rule, or by a list (borrowed).
struct membership {
  int n_pes = 0;
  int start = 0;
  int stride = 1;
  const int* list = nullptr;
  // Which of the formations that its members have in common this is, where a parent can tell: threads may
  // form teams of the same PEs from different parents at the same time.
  std::uint64_t origin = 0;

  int world_pe(int pe) const { return list != nullptr ? list[pe] : start + pe * stride; }
  // Number of world PE `pe` in the team; -1 when it is not in it.
  int find(int pe) const;
};

// Collective over the members. Null when there is no slot or no memory left: on every member alike.
team* form(world& w, const membership& who, const char* routine);

// Collective over the members.
void dissolve(team& t, const char* routine);

// The team that stands for a deprecated active set; formed by the first collective that uses it, kept to the end. Where
// threads may be in two collectives of one set at a time, `sync` (where pSync lies) tells them apart; else it is 0.
team* for_active_set(world& w, int start, int log_stride, int size, std::uint64_t sync, const char* routine);

// ---- splitting ------------------------------------------------------------------------------------------------
//
// Cutting a team into teams (OpenSHMEM 1.6, 9.4.1; and by colour or list, which the standard lacks).
// Collective over the parent unless said otherwise. 0 is success; a PE that is in no new team gets null.

int split_strided(team_call parent, int start, int stride, int size, team*& fresh);
// Both teams or, on all PEs of the parent, none.
int split_2d(team_call parent, int xrange, team*& xaxis, team*& yaxis);
// PEs with one colour form a team, in the order of their keys; a negative colour stays out.
int split_color(team_call parent, int color, int key, team*& fresh);
// Collective over the listed PEs of the world only.
int create_from_list(team_call world_team, const int* pes, int n, team*& fresh);

}  // namespace oshen::coll
