// The sync of OSHEN_CHECK: runs the sync that was selected for the team, and compares the calls of the PEs that meet in
// it. They differ if one PE calls a barrier and another a broadcast, or if the roots of their broadcasts differ.
//
// Each PE sends its call to the next PE of the team when it enters, and before it leaves it compares the call of the PE
// before it with its own. If any two PEs make different calls, so do two neighbours (design/collectives.md, "Flag
// slots").
#include <string.h>

#include "base/log.hpp"
#include "coll/call/signature.hpp"
#include "coll/run/run.hpp"
#include "coll/select/selection.hpp"
#include "coll/shared_memory/peer_memory.hpp"
#include "world/current.hpp"
#include "world/world.hpp"

namespace oshen::coll {
namespace {

enum class meeting : std::uint8_t { barrier, sync, other };

meeting meeting_of(const call_record& call) {
  const char* routine = name_at_distance(call.routine_offset);
  if (strstr(routine, "barrier") != nullptr) return meeting::barrier;
  return strstr(routine, "sync") != nullptr ? meeting::sync : meeting::other;
}

int previous_of(const team& t) { return after(t, t.n_pes - 1); }

call_record with_routine_only(const char* routine) {
  call_record record{};
  record.routine_offset = distance_of(routine);
  return record;
}

// The record of the present collective. A sync outside a signed collective, such as a barrier, has a routine only.
call_record present_call(const collective_call& call) {
  const team& t = call.members;
  const std::ptrdiff_t routine = distance_of(call.routine);
  const call_record& latest = record_of(t, t.my_pe);
  if (latest.number == t.collectives && latest.routine_offset == routine) return latest;
  return with_routine_only(call.routine);
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

// Runs the selected sync, and returns the record of the PE before this one. A PE writes over a record two syncs later.
// Then its neighbour is in the sync between, so it has read the record.
[[gnu::always_inline]] inline const call_record& exchange(const collective_call& call, const call_record& mine) {
  team& t = call.members;
  const std::uint64_t number = ++t.checked_syncs;
  call_before& before = t.own_slot().calls_before[number % 2];
  copy_and_set(t, after(t, 1), {&before.record, &mine, sizeof mine}, {before.checked_sync, number});
  const selection selected = choose(kind::sync, shape_of(t), t.home->tuning);
  algorithm_table[selected.algorithm_index]->run(call);
  const wait_info info{.routine = call.routine, .pe = t.world_pe(previous_of(t))};
  // The acquire pairs with the release of copy_and_set() on the same node; the network orders the two writes.
  wait_for(*t.home, info, [&] { return before.checked_sync.load(std::memory_order_acquire) == number; });
  return before.record;
}

void run_checked(const collective_call& call) {
  const call_record mine = present_call(call);
  compare(call, mine, exchange(call, mine), previous_of(call.members));
}

}  // namespace

void compare_values(team_call at, const named_value* given, int n, const char* which_team) {
  team& t = *at.members;
  const collective_call call{.members = t, .routine = at.routine};
  call_record mine = with_routine_only(at.routine);
  for (int i = 0; i < n; ++i) mine.values[i] = given[i].value;
  call_record theirs = exchange(call, mine);
  const int pe = previous_of(t);
  // Two calls without data have the same signature.
  if (strcmp(name_at_distance(theirs.routine_offset), at.routine) != 0) theirs.signature = ~mine.signature;
  compare(call, mine, theirs, pe);
  for (int i = 0; i < n; ++i) {
    if (theirs.values[i] == mine.values[i]) continue;
    claim_error_report(*t.home);
    log::error("%s: %s = %lld, but PE %d gives %lld: all PEs of the %s must give the same value", at.routine,
               given[i].name, static_cast<long long>(mine.values[i]), t.world_pe(pe),
               static_cast<long long>(theirs.values[i]), which_team);
    end_job(t.home, 1, false);
  }
}

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
