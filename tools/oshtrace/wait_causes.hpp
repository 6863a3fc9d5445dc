// Finds the PE that each call waited for, from the traces of all PEs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "record.hpp"

namespace oshtrace {

// A call: its PE and its index in that PE's records.
struct call_id {
  int pe = -1;
  std::size_t at = 0;
};

class wait_causes {
 public:
  explicit wait_causes(const std::vector<pe_trace>& all);

  // The call that ended the wait; pe -1 if unknown. For waits and locks.
  call_id ended_by(int pe, const record& r) const;
  // The PE that was last to enter this collective, whatever this PE waited for.
  int last_of(int pe, std::size_t at) const;
  // The PEs to which the context had put since the previous quiet or fence.
  const std::vector<int>& targets_before(int pe, std::size_t at) const;

 private:
  struct write {
    std::int64_t began;
    call_id by;
    std::int64_t object;
    std::uint64_t bytes;
  };
  void add_write(int pe, std::size_t at, const record& r);
  void add_object(int to, std::int64_t object, std::uint64_t bytes, const write& w);
  void add_orders(int pe);
  void add_collectives(int pe);
  call_id latest_release(int pe, const record& r) const;

  const std::vector<pe_trace>& all_;
  std::unordered_map<std::uint64_t, std::vector<write>> lines_;  // writes to each cache line of a PE, by time
  std::map<std::int64_t, std::vector<write>> releases_;          // of a lock
  std::vector<std::map<std::size_t, std::vector<int>>> targets_before_;
  struct collective_call {
    int last = -1;
    std::int64_t began = INT64_MIN;
  };
  std::map<std::pair<std::uint64_t, std::size_t>, collective_call> collective_calls_;  // the nth collective of a group
  std::vector<std::map<std::size_t, std::size_t>> indices_;                            // the index n of each record
};

}  // namespace oshtrace
