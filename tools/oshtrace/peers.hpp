// Whom each call waited for: what no PE knows by itself, and all together do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "record.hpp"

namespace oshtrace {

// A call, by its PE and its place among that PE's records.
struct call_id {
  int pe = -1;
  std::size_t at = 0;
};

class peers {
 public:
  explicit peers(const std::vector<pe_trace>& all);

  // The call that ended the wait; pe -1: none is known. Waits, locks.
  call_id ended_by(int pe, const record& r) const;
  // The PE that came last to this collective, whatever this one waited for.
  int last_of(int pe, std::size_t at) const;
  // The PEs to which the context had put since the call before that waited for them.
  const std::vector<int>& under_way(int pe, std::size_t at) const;

 private:
  struct write {
    std::int64_t began;
    call_id by;
    std::int64_t place;
    std::uint64_t bytes;
  };
  void note_write(int pe, std::size_t at, const record& r);
  void note_place(int to, std::int64_t place, std::uint64_t bytes, const write& w);
  void note_order(int pe);
  void note_collectives(int pe);
  call_id latest_release(int pe, const record& r) const;

  const std::vector<pe_trace>& all_;
  std::unordered_map<std::uint64_t, std::vector<write>> lines_;  // what was written into a line of a PE, by time
  std::map<std::int64_t, std::vector<write>> releases_;          // of a lock
  std::vector<std::map<std::size_t, std::vector<int>>> under_way_;
  struct meeting {
    int last = -1;
    std::int64_t began = INT64_MIN;
  };
  std::map<std::pair<std::uint64_t, std::size_t>, meeting> meetings_;  // the nth collective of a group
  std::vector<std::map<std::size_t, std::size_t>> turns_;              // which one a record is
};

}  // namespace oshtrace
