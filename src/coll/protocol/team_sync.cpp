#include "coll/protocol/team_sync.hpp"

#include "coll/choosing/selection.hpp"
#include "coll/protocol/signature.hpp"

namespace oshen::coll {

void sync_team(team& t, const char* routine) {
  algorithm_for(t, kind::sync, 0).run(task{.members = t, .routine = routine});
}

// A flag slot is written again after `flag_slots` collectives. Between the two there is a sync, which every PE
// enters only when it has ended the earlier one: nobody still reads what is written over.
void begin_collective(team& t, const char* routine) {
  t.routine = routine;
  if (++t.collectives % flag_slots == 0) sync_team(t, routine);
  t.flag = t.collectives & flag_number;
}

}  // namespace oshen::coll
