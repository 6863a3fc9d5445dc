// Everybody tells everybody a few bytes: in flag slots, which each reads where they are; where PEs share CPUs in a
// table; on teams that span nodes by putting them into everybody's bounce buffer.
#pragma once

#include "coll/protocol/table.hpp"

namespace oshen::coll {

// For teams that span nodes: `mine` of every PE is in everybody's bounce buffer when it returns, in the order of the
// team, and stays until this PE's next collective. A collective of its own.
void allgather_remote(const task& job, const void* mine, std::size_t bytes);
inline const std::byte* remote_contribution(const team& t, int pe, std::size_t bytes) {
  return t.own_workspace().bounce + static_cast<std::size_t>(pe) * bytes;
}

// What each PE says in the present collective.
template <class T>
class small_allgather {
 public:
  small_allgather(const task& job, const T& mine) : job_(job) {
    static_assert(sizeof(T) <= flag_payload);
    if (job.members.spans) [[unlikely]]
      allgather_remote(job, &mine, sizeof mine);
    else if (has_table(job.members, sizeof mine))
      write_table(mine);
    else
      post(job.members, 0, &mine, sizeof mine);
  }
  // Waits for it.
  T of(int pe) const {
    T said;
    memcpy(&said, record_of(pe), sizeof said);
    return said;
  }

 private:
  void write_table(const T& mine) {
    team& t = job_.members;
    table_ = next_table(t);
    memcpy(table_ + static_cast<std::size_t>(t.my_pe) * sizeof mine, &mine, sizeof mine);
    sync_team(t, job_.routine);
  }
  const std::byte* record_of(int pe) const {
    const team& t = job_.members;
    if (table_ != nullptr) return table_ + static_cast<std::size_t>(pe) * sizeof(T);
    return t.spans ? remote_contribution(t, pe, sizeof(T)) : await(job_, pe).payload;
  }

  const task& job_;
  std::byte* table_ = nullptr;
};

}  // namespace oshen::coll
