#include "coll/call/sequence.hpp"

#include "coll/call/signature.hpp"
#include "coll/select/selection.hpp"

namespace oshen::coll {

void sync_team(team& t, const char* routine) {
  algorithm_for(t, kind::sync, 0).run(collective_call{.members = t, .routine = routine});
}

void sync_before_collective(team& t, const char* routine) {
  sync_team(t, routine);
  t.ended_by_all = t.collectives - 1;
}

// A call that is not signed, such as a split, leaves an old record at its index, which its number shows.
void begin_round(team& t, const char* routine) {
  const std::uint64_t signature = t.flag & ~flag_number, before = t.collectives;
  call_record record = record_of(t, t.my_pe);
  begin_collective(t, routine);
  t.flag |= signature;
  if (record.number != before) {
    record = {};
    record.routine_offset = distance_of(routine);
  }
  record.number = t.collectives;
  record_of(t, t.my_pe) = record;
}

}  // namespace oshen::coll
