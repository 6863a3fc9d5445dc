// Creation and destruction of teams. Only the members of a new team take part in its formation. The new team's PE 0,
// the leader, claims a team slot that is free on all members, and sends its number to them.
#pragma once

#include "coll/collective.hpp"
#include "world/world.hpp"

namespace oshen::coll {

// The members of a team, in its order: start, start + stride, ..., or a list that the caller owns.
struct membership {
  int n_pes = 0;
  int start = 0;
  int stride = 1;
  const int* list = nullptr;
  // Distinguishes formations of teams with the same members, which threads may run at the same time from different
  // parents. All members pass the same value.
  std::uint64_t origin = 0;
  // The end of the message if there is no free slot; null: no message.
  const char* advice = "destroy teams that are no longer needed";

  int world_pe(int pe) const { return list != nullptr ? list[pe] : start + pe * stride; }
  // The number of world PE `pe` in the team; -1 if it is not a member.
  int find(int pe) const;
};

// Zeroed private memory for `n` objects of `bytes` bytes, to be freed by the caller. Other PEs rely on this one while a
// team is formed, so a PE without memory ends the job with a message.
void* private_memory(world& w, int n, std::size_t bytes, const char* routine);

// Collective over the members. Null on all of them if there is no free slot.
team* form(world& w, const membership& who, const char* routine);

// Collective over the members.
void dissolve(team& t, const char* routine);

// The team that represents a deprecated active set. The first collective on the set forms it, and it is kept until the
// end of the job. If threads may run two collectives of one set at a time, `sync` is the position of their pSync, which
// tells them apart; otherwise it is 0.
team* for_active_set(world& w, int start, int log_stride, int size, std::uint64_t sync, const char* routine);

// ---- splitting ------------------------------------------------------------------------------------------------
//
// Splitting a team (OpenSHMEM 1.6, 9.4.1). The splits by colour and by list are extensions. They are collective over
// the parent unless stated otherwise. 0 means success. A PE that is in no new team gets null.

int split_strided(team_call parent, int start, int stride, int size, team*& fresh);
// Forms both teams or, on all PEs of the parent, none.
int split_2d(team_call parent, int xrange, team*& xaxis, team*& yaxis);
// The PEs with one colour form a team, in the order of their keys. A PE with a negative colour is in no team.
int split_color(team_call parent, int color, int key, team*& fresh);
// Collective over the listed PEs of the world only.
int create_from_list(team_call world_team, const int* pes, int n, team*& fresh);

}  // namespace oshen::coll
