#include "coll/call/signature.hpp"

#include "base/log.hpp"
#include "world/current.hpp"

namespace oshen::coll {

constexpr char anchor = 0;

const char* name_at_distance(std::ptrdiff_t distance) {
  return reinterpret_cast<const char*>(reinterpret_cast<std::intptr_t>(&anchor) + distance);
}

void report_other_call(const collective_call& call, const call_record& mine, const call_record& theirs, int pe) {
  team& t = call.members;
  const int who = t.world_pe(pe);
  claim_error_report(*t.home);
  if (theirs.number != mine.number)
    log::error(
        "%s: PE %d is in another routine: all PEs of a team must make the same collective calls in the same order",
        call.routine, who);
  else if (theirs.routine_offset != mine.routine_offset)
    log::error("%s: PE %d calls %s instead: all PEs of a team must make the same collective calls in the same order",
               call.routine, who, name_at_distance(theirs.routine_offset));
  else if (theirs.sizes.root != mine.sizes.root)
    log::error("%s: PE_root = %d, but PE %d gives %d: all PEs must give the same root", call.routine, mine.sizes.root,
               who, theirs.sizes.root);
  else if (theirs.sizes.elements == mine.sizes.elements)
    log::error("%s: dest: PE %d gives another object: all PEs must give the same symmetric address", call.routine, who);
  else
    log::error("%s: nelems = %llu, but PE %d gives %llu: all PEs must give the same number", call.routine,
               static_cast<unsigned long long>(mine.sizes.elements), who,
               static_cast<unsigned long long>(theirs.sizes.elements));
  end_job(t.home, 1, false);
}

call_record record_of_call(kind k, const collective_call& call, std::uint64_t number) {
  return {.number = number,
          .signature = signature_of(k, call),
          .routine_offset = distance_of(call.routine),
          .sizes = sizes_of(call)};
}

void other_call(const collective_call& call, int pe) {
  const team& t = call.members;
  report_other_call(call, record_of(t, t.my_pe), record_of(t, pe), pe);
}

}  // namespace oshen::coll
