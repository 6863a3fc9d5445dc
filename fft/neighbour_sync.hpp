// Symmetric work memory of a transform, and the syncs of its PEs.
//
// Each PE has two work arrays, used in turn. One that has finished a stage tells all its partners,
// and goes on when all of them have told it. Partners are those who touch an array that one touches
// oneself. So nothing is overwritten too early: who writes into an array again after a turn to the
// other and back has met, after the first turn, all who might still have been reading there.
//
// Without a turn, a PE may fill its own array anew when nobody else has read there since the last
// sync. Routes that begin and end so for all PEs need one array only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "oshen/exchange.h"
#include "transit.hpp"

namespace oshen::fft {

class neighbour_sync {
 public:
  // Collective; null if on any PE a partner is out of reach of shmem_ptr (status OSHEN_UNSUPPORTED), the arena or what
  // is lent is too small (OSHEN_NO_SPACE), or what is lent is not symmetric (OSHEN_INVALID). `need`: of this PE.
  static std::unique_ptr<neighbour_sync> make(oshen_group_t* group, std::vector<int> partners, const work_arrays& need,
                                              const lent_memory& lent, oshen_status_t* status);
  // Work arrays begin at cache lines. Of the arena this takes beside them:
  static std::size_t rounded(std::size_t bytes);
  static std::size_t head_bytes(int members);
  ~neighbour_sync();
  neighbour_sync(const neighbour_sync&) = delete;
  neighbour_sync& operator=(const neighbour_sync&) = delete;

  // A member's work array that is in use.
  std::byte* work(int member) const;
  void swap_arrays();  // to the other; all PEs at the same point of their routes

  // Tells the partners at the next sync where in the symmetric heap a buffer of this PE lies;
  // false if it does not, or out of their reach. What a partner offered, from then on.
  bool offer(std::byte* buffer);
  std::byte* offered(int member) const;

  void finished();      // tells the partners
  bool all_finished();  // the partners have told; true once ends the sync
  void wait_for_all();

  std::size_t bytes() const { return bytes_; }

 private:
  // What a partner tells: written by it, in a cache line of its own.
  struct alignas(64) sync_flags {
    std::uint64_t neighbour_sync;
    std::ptrdiff_t buffer;  // from the base of its arena; before `neighbour_sync` is written
  };
  struct member {
    int pe;
    std::byte* base;    // of its arena, as mapped here; null: out of reach
    std::byte* work;    // its first work array
    std::size_t other;  // from there to the second
    sync_flags* told;   // symmetric address of what it has been told
    sync_flags* told_here;  // the same as mapped here
  };

  neighbour_sync() = default;
  // What a PE tells the others: offsets from the base of its arena.
  struct places {
    std::ptrdiff_t flags, work;
    std::size_t other;  // from a work array to the second
    std::int32_t status;
  };
  oshen_status_t allocate(const work_arrays& need, const lent_memory& lent);
  static oshen_status_t verdict(const std::vector<places>& all);
  oshen_status_t reaches(const lent_memory& lent) const;
  void find(const std::vector<places>& all);
  const member& of(int rank) const { return members_[static_cast<std::size_t>(rank)]; }
  const sync_flags& from(int rank) const { return reinterpret_cast<const sync_flags*>(memory_)[rank]; }
  void end();

  oshen_group_t* group_ = nullptr;
  std::byte* memory_ = nullptr;  // flags, then the work arrays unless they are lent
  std::byte* work_ = nullptr;
  std::size_t bytes_ = 0, stride_ = 0;
  int me_ = 0;
  std::vector<int> partners_;
  std::vector<member> members_;
  std::size_t met_ = 0;         // partners known to have finished
  std::uint64_t rounds_ = 0;    // over
  bool swapped_ = false;
  std::ptrdiff_t offer_ = 0;
};

}  // namespace oshen::fft
