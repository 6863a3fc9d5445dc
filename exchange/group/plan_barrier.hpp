// A non-blocking barrier over the PEs of a plan: dissemination in ceil(log2 n) rounds (Hensgen, Finkel, Manber 1988),
// on flags of the plan. It works for any list of PEs and needs no team.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exchange/group/flag_wait.hpp"
#include "exchange/group/group.hpp"

namespace oshen::exchange {

class plan_barrier {
 public:
  void init(const oshen_group& group, std::size_t first_flag);
  // The offset of a member's barrier flags in its arena.
  void set_flags_of(int member, std::uint64_t offset) { flag_offsets_[static_cast<std::size_t>(member)] = offset; }

  int rounds() const { return rounds_; }
  // The member that signals this PE in a round.
  int source_in(int round) const;

  // Enters the barrier of run `run`. Puts of this PE must be complete.
  void enter(flag_wait& flags, std::uint64_t run);
  // Advances without waiting. Returns false when there was nothing to do.
  bool advance(flag_wait& flags);
  // Marks the barrier as not entered in this run.
  void reset() { round_ = not_entered; }
  bool entered() const { return round_ != not_entered; }
  bool passed() const { return round_ == rounds_; }

 private:
  static constexpr int not_entered = -1;
  void signal_next(flag_wait& flags);

  const oshen_group* group_ = nullptr;
  std::size_t first_flag_ = 0;
  int rounds_ = 0, round_ = not_entered;
  std::uint64_t run_ = 0;
  std::vector<std::uint64_t> flag_offsets_;
};

}  // namespace oshen::exchange
