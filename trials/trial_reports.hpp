// The times that the PEs of a group tell each other at the end of a block of trial runs.
//
// Each PE puts its record to all members, completes everything that it has sent, and raises a flag at each. When all
// flags have come, nothing of the block is under way, and all PEs have the same times.
#pragma once

#include <shmem.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "oshen/exchange.h"
#include "trials/trial_course.hpp"

namespace oshen::trials {

class trial_reports {
 public:
  struct record {
    float seconds[most_block_runs];  // in calls; negative if this PE takes no part
    float busy[most_block_runs];     // of these, not waiting
  };

  // The memory of one PE: a flag of each member, then two records of each, which blocks use in turn, because a member
  // may be one block ahead.
  static std::size_t bytes_of(int members) {
    return static_cast<std::size_t>(members) * (sizeof(std::uint64_t) + 2 * sizeof(record));
  }

  trial_reports() = default;
  // `offset`: of bytes_of(members) bytes in the arena of this PE, which the caller owns. Clears the flags.
  trial_reports(oshen_group_t* group, std::size_t offset)
      : members_(static_cast<std::size_t>(oshen_group_size(group))),
        me_(static_cast<std::size_t>(oshen_group_rank(group))),
        base_(static_cast<std::byte*>(oshen_arena_base(oshen_group_arena(group)))),
        offset_(offset) {
    for (std::size_t r = 0; r < members_; r++) pe_.push_back(oshen_group_pe(group, static_cast<int>(r)));
    std::fill_n(flags(), members_, std::uint64_t{0});
  }

  std::size_t offset() const { return offset_; }
  // The offsets of all members. Every member has cleared its flags by then.
  void set_peers(std::vector<std::uint64_t> offsets) { offset_of_ = std::move(offsets); }

  void send(const record& mine) {
    const std::size_t at = (members_ * sizeof(std::uint64_t)) + (2 * me_ + (blocks_ & 1)) * sizeof(record);
    for (std::size_t r = 0; r < members_; r++) shmem_putmem(base_ + offset_of_[r] + at, &mine, sizeof mine, pe_[r]);
    shmem_quiet();  // also of everything that the block has sent
    blocks_++;
    for (std::size_t r = 0; r < members_; r++) {
      auto* flag = reinterpret_cast<std::uint64_t*>(base_ + offset_of_[r]) + me_;
      shmem_uint64_p(flag, blocks_, pe_[r]);
    }
    shmem_quiet();
  }
  // Whether the reports of all members have come. Does not wait.
  bool have_come() const {
    for (std::size_t r = 0; r < members_; r++)
      if (shmem_uint64_test(flags() + r, SHMEM_CMP_GE, blocks_) == 0) return false;
    return true;
  }
  void wait() const {
    for (std::size_t r = 0; r < members_; r++) shmem_uint64_wait_until(flags() + r, SHMEM_CMP_GE, blocks_);
  }

  // The time of a run of the last block is that of the PE that came last: the others waited for it. But it is not less
  // than the time in which any PE was busy.
  double seconds_of(int run) const {
    double least = -1, busy = 0;
    for (std::size_t r = 0; r < members_; r++) {
      const record& of = records()[2 * r + ((blocks_ - 1) & 1)];
      const double seconds = of.seconds[run];
      if (seconds < 0) continue;
      least = least < 0 ? seconds : std::min(least, seconds);
      busy = std::max(busy, static_cast<double>(of.busy[run]));
    }
    return std::max(least, busy);
  }
  // The same for the runs of a block.
  std::vector<double> seconds_of_block(int runs) const {
    std::vector<double> all;
    for (int run = 0; run < runs; run++) all.push_back(seconds_of(run));
    return all;
  }

 private:
  std::uint64_t* flags() const { return reinterpret_cast<std::uint64_t*>(base_ + offset_); }
  const record* records() const { return reinterpret_cast<const record*>(flags() + members_); }

  std::size_t members_ = 0, me_ = 0;
  std::byte* base_ = nullptr;
  std::size_t offset_ = 0;
  std::vector<int> pe_;
  std::vector<std::uint64_t> offset_of_;
  std::uint64_t blocks_ = 0;  // finished by this PE
};

}  // namespace oshen::trials
