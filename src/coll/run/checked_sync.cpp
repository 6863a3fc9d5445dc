// The sync of OSHEN_CHECK: runs the sync that was selected for the team, and finds PEs that meet in different routines,
// such as a barrier on one PE and a broadcast on another.
#include <string.h>

#include "coll/select/selection.hpp"
#include "coll/shared_memory/flag_slots.hpp"
#include "world/world.hpp"

namespace oshen::coll {
namespace {

enum class meeting : std::uint8_t { barrier, sync, other };

meeting meeting_of(const char* routine) {
  if (strstr(routine, "barrier") != nullptr) return meeting::barrier;
  return strstr(routine, "sync") != nullptr ? meeting::sync : meeting::other;
}

// Routines of one kind may meet: shmem_sync_all is the same as shmem_team_sync of the world team, and the library ends
// for some PEs in shmem_finalize and for others when main returns.
void compare_routines(const collective_call& call, int pe, std::uint64_t number) {
  team& t = call.members;
  const std::ptrdiff_t theirs = t.slot_of(pe).sync_routines[number % 2];
  if (meeting_of(name_at_distance(theirs)) == meeting_of(call.routine)) return;
  call_record mine{}, other{};
  mine.routine_offset = distance_of_name(call.routine);
  other.routine_offset = theirs;
  report_other_call(call, mine, other, pe);
}

// A PE overwrites a name two syncs later. Then its neighbour is in the sync between, so it has read the name.
void run_checked(const collective_call& call) {
  team& t = call.members;
  const std::uint64_t number = ++t.checked_syncs;
  t.own_slot().sync_routines[number % 2] = distance_of_name(call.routine);
  const choice selected = choose(kind::sync, shape_of(t), t.home->preferences);
  algorithm_table[selected.algorithm_index]->run(call);
  for (const int pe : others(t))
    if (t.is_near(pe)) return compare_routines(call, pe, number);
}

}  // namespace

constexpr algorithm checked_sync{.collective = kind::sync,
                                 .name = "checked",
                                 .protocol = protocol_kind::one_sided,
                                 .where = scope::any,
                                 .about = "the selected sync, and a comparison of the routines that meet",
                                 .steps = "those of the selected sync",
                                 .traffic = "that of the selected sync",
                                 .cost = [](const team_shape&) { return impossible; },
                                 .run = run_checked};

}  // namespace oshen::coll
