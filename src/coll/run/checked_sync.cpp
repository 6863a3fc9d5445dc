// The sync of OSHEN_CHECK: runs the sync that was selected for the team, and compares the calls of the PEs that meet in
// it. They differ if one PE calls a barrier and another a broadcast, or if the roots of their broadcasts differ.
//
// Each PE sends its call to the next PE of the team when it enters, and before it leaves it compares the call of the PE
// before it with its own. If any two PEs make different calls, so do two neighbours (design/collectives.md, "Flag
// slots").
#include <string.h>

#include "coll/select/selection.hpp"
#include "coll/shared_memory/flag_slots.hpp"
#include "world/world.hpp"

namespace oshen::coll {
namespace {

enum class meeting : std::uint8_t { barrier, sync, other };

meeting meeting_of(const call_record& call) {
  const char* routine = name_at_distance(call.routine_offset);
  if (strstr(routine, "barrier") != nullptr) return meeting::barrier;
  return strstr(routine, "sync") != nullptr ? meeting::sync : meeting::other;
}

// The record of the present collective. A sync outside a signed collective, such as a barrier, has a routine only.
call_record present_call(const collective_call& call) {
  const team& t = call.members;
  const std::ptrdiff_t routine = distance_of_name(call.routine);
  const call_record& latest = record_of(t, t.my_pe);
  if (latest.number == t.collectives && latest.routine_offset == routine) return latest;
  call_record routine_only{};
  routine_only.routine_offset = routine;
  return routine_only;
}

// Routines of one kind may meet: shmem_sync_all is the same as shmem_team_sync of the world team, and the library ends
// for some PEs in shmem_finalize and for others when main returns.
bool may_meet(const call_record& mine, const call_record& theirs) {
  return meeting_of(mine) == meeting_of(theirs) && same_call(mine, theirs);
}

void compare(const collective_call& call, const call_record& mine, call_record theirs, int pe) {
  if (may_meet(mine, theirs)) return;
  if (theirs.routine_offset != mine.routine_offset) theirs.number = mine.number;  // the message names the routine
  report_other_call(call, mine, theirs, pe);
}

// A PE writes over a record two syncs later. Then its neighbour is in the sync between, so it has read the record.
void run_checked(const collective_call& call) {
  team& t = call.members;
  const std::uint64_t number = ++t.checked_syncs;
  call_before& before = t.own_slot().calls_before[number % 2];
  const call_record mine = present_call(call);
  const int next = after(t, 1), previous = after(t, t.n_pes - 1);
  copy_and_set(t, next, {&before.record, &mine, sizeof mine}, {before.checked_sync, number});
  const choice selected = choose(kind::sync, shape_of(t), t.home->preferences);
  algorithm_table[selected.algorithm_index]->run(call);
  const wait_info info{.routine = call.routine, .pe = t.world_pe(previous)};
  // The acquire pairs with the release of copy_and_set() on the same node; the network orders the two writes.
  wait_for(*t.home, info, [&] { return before.checked_sync.load(std::memory_order_acquire) == number; });
  compare(call, mine, before.record, previous);
}

}  // namespace

constexpr algorithm checked_sync{.collective = kind::sync,
                                 .name = "checked",
                                 .protocol = protocol_kind::one_sided,
                                 .where = scope::any,
                                 .about = "the selected sync, and a comparison of the calls that meet",
                                 .steps = "those of the selected sync",
                                 .traffic = "that of the selected sync, and a record of 48 bytes from each PE",
                                 .cost = [](const team_shape&) { return impossible; },
                                 .run = run_checked};

}  // namespace oshen::coll
