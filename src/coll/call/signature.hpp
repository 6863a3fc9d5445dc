// Signatures and records of collective calls, by which PEs see that they make the same call.
//
// All PEs of a team must make the same collective calls in the same order, with the same root, sizes and operation. The
// upper bits of a flag hold a signature of the call, so that every reader of the flag compares calls at no extra cost.
// The call record beside the flag is read only when signatures differ: it has the names for the message. Algorithms
// without flag slots compare calls under OSHEN_CHECK only (run/run.cpp).
#pragma once

#include "coll/call/sequence.hpp"
#include "coll/collective.hpp"

namespace oshen::coll {

inline constexpr int signature_shift = 44;
inline constexpr std::uint64_t flag_number = (std::uint64_t{1} << signature_shift) - 1;

// Writes the signature and the call record of the present collective.
void sign(kind k, const collective_call& call);
// The call record of a collective that does not use flag slots.
call_record record_of_call(kind k, const collective_call& call, std::uint64_t number);

// The call record of PE `pe` at the index of the present collective.
inline call_record& record_of(const team& t, int pe) { return t.slot_of(pe).call_records[slot_index(t)]; }
inline bool same_call(const call_record& a, const call_record& b) {
  return a.number == b.number && a.signature == b.signature;
}

// PE `pe` of the team makes another call than this PE: reports the difference and ends the job.
[[noreturn, gnu::cold]] void report_other_call(const collective_call& call, const call_record& mine,
                                               const call_record& theirs, int pe);

// The name of a routine as a distance that is the same in all processes, and back.
std::ptrdiff_t distance_of_name(const char* routine);
const char* name_at_distance(std::ptrdiff_t distance);

// Reports the difference between the call records of the present collective.
[[noreturn, gnu::cold]] void other_call(const collective_call& call, int pe);

}  // namespace oshen::coll
