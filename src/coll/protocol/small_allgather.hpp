// An allgather of a few bytes. On one node PEs read them in the flag slots of the others, or in a table if PEs share
// CPUs. In teams that span nodes they are put into the bounce buffer of every PE.
#pragma once

#include "coll/call/sequence.hpp"
#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {

// For teams that span nodes. On return the bounce buffer contains `mine` of every PE, in the order of the team, until
// the next collective of this PE. It counts as a collective of its own.
void allgather_remote(const collective_call& call, const void* mine, std::size_t bytes);
inline const std::byte* remote_contribution(const team& t, int pe, std::size_t bytes) {
  return t.own_workspace().bounce + static_cast<std::size_t>(pe) * bytes;
}

// One value of type T from each PE, in the present collective.
template <class T>
class small_allgather {
 public:
  small_allgather(const collective_call& call, const T& mine) : call_(call) {
    static_assert(sizeof(T) <= flag_payload);
    if (call.members.spans) [[unlikely]]
      allgather_remote(call, &mine, sizeof mine);
    else if (has_table(call.members, sizeof mine))
      write_table(mine);
    else
      post(call.members, 0, &mine, sizeof mine);
  }
  // Waits for the value of PE `pe`.
  T of(int pe) const {
    T value;
    memcpy(&value, record_of(pe), sizeof value);
    return value;
  }

 private:
  void write_table(const T& mine) {
    team& t = call_.members;
    table_ = next_table(t);
    memcpy(table_ + static_cast<std::size_t>(t.my_pe) * sizeof mine, &mine, sizeof mine);
    sync_team(t, call_.routine);
  }
  const std::byte* record_of(int pe) const {
    const team& t = call_.members;
    if (table_ != nullptr) return table_ + static_cast<std::size_t>(pe) * sizeof(T);
    return t.spans ? remote_contribution(t, pe, sizeof(T)) : await(call_, pe).payload;
  }

  const collective_call& call_;
  std::byte* table_ = nullptr;
};

// ---- counts of a collect ------------------------------------------------------------------------------------
//
// Contributions to a collect differ in size. Every PE posts its count before the algorithm is chosen, so that all
// choose by the size of the largest contribution. A short contribution travels with the count. For a long one the
// address does, because PEs may pass different addresses, and a PE without elements may pass null.

// The number of elements that PE `pe` contributes. PE `pe` must have posted it.
inline std::size_t count_of(const collective_call& call, int pe) {
  const team& t = call.members;
  if (pe == t.my_pe) return call.elements;
  if (!t.spans) [[likely]]
    return t.slot_of(pe).flags[slot_index(t)].value;
  std::uint64_t count = 0;
  memcpy(&count, remote_contribution(t, pe, sizeof count), sizeof count);
  return count;
}

inline char* slice_of(const team& t) { return reinterpret_cast<char*>(t.ctx.control); }

// The address of the contribution of PE `pe`, in this PE's slice. Teams that span nodes do not use it.
inline const char* source_of(const collective_call& call, int pe) {
  const team& t = call.members;
  if (t.spans) return nullptr;
  if (count_of(call, pe) * call.element_bytes <= flag_payload)
    return reinterpret_cast<const char*>(t.own_slot().flags[slot_index(t)].payload);
  std::uint64_t offset = 0;
  memcpy(&offset, t.slot_of(pe).flags[slot_index(t)].payload, sizeof offset);
  return slice_of(t) + offset;
}

// Posts this PE's count and waits for the counts of all. Returns the largest contribution in bytes.
inline std::size_t exchange_counts(const collective_call& call) {
  team& t = call.members;
  if (t.spans) {
    const std::uint64_t mine = call.elements;
    allgather_remote(call, &mine, sizeof mine);
  } else if (call.bytes() <= flag_payload) {
    post(t, call.elements, call.source, call.bytes());
  } else {
    const auto offset = static_cast<std::uint64_t>(call.source - slice_of(t));
    post(t, call.elements, &offset, sizeof offset);
  }
  if (!t.spans) await_all(call);
  std::size_t largest = 0;
  for (int pe = 0; pe < t.n_pes; ++pe) largest = count_of(call, pe) > largest ? count_of(call, pe) : largest;
  return largest * call.element_bytes;
}

}  // namespace oshen::coll
