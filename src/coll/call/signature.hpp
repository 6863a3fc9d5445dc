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

// Names and functions of the library are at the same distance from this object in every process.
[[gnu::visibility("hidden")]] extern const char anchor;
inline std::ptrdiff_t distance_of(const void* address) {
  return reinterpret_cast<std::intptr_t>(address) - reinterpret_cast<std::intptr_t>(&anchor);
}

// PEs may give different numbers of elements.
constexpr bool gives_own_size(kind k) { return k == kind::collect || sizes_differ(k); }

inline std::uint64_t signature_of(kind k, const collective_call& call) {
  const std::uint64_t bytes = gives_own_size(k) ? call.element_bytes : call.bytes();
  const auto function = static_cast<std::uint64_t>(distance_of(reinterpret_cast<const void*>(call.combine)));
  const std::uint64_t mixed =
      (bytes ^ static_cast<std::uint64_t>(call.root) << 40 ^ (call.combine != nullptr ? function << 20 : 0)) *
      0x9e3779b97f4a7c15u;
  return (static_cast<std::uint64_t>(k) + 1) << 15 | mixed >> 49;
}
inline collective_sizes sizes_of(const collective_call& call) {
  return {.elements = call.elements, .element_bytes = call.element_bytes, .root = call.root};
}

// Writes the signature and the call record of the present collective.
inline void sign(kind k, const collective_call& call) {
  team& t = call.members;
  const std::uint64_t signature = signature_of(k, call);
  t.flag = (t.collectives & flag_number) | signature << signature_shift;
  t.own_slot().call_records[slot_index(t)] = {.number = t.collectives,
                                              .signature = signature,
                                              .routine_offset = distance_of(call.routine),
                                              .sizes = sizes_of(call)};
}
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

// The name of a routine at a distance of distance_of().
const char* name_at_distance(std::ptrdiff_t distance);

// Reports the difference between the call records of the present collective.
[[noreturn, gnu::cold]] void other_call(const collective_call& call, int pe);

}  // namespace oshen::coll
