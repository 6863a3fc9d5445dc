// Symmetric work memory of a transform, and the meetings of its PEs.
//
// Two work arrays are used in turn by successive moves. A PE that has finished its part of move c
// tells all its partners, and goes on when all of them have told it. Partners are those with whom
// any move exchanges anything. So nothing is overwritten too early: a PE that writes for move c + 2
// has met its receiver in move c + 1, for which that had finished reading what came by move c.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "oshen/exchange.h"

namespace oshen::fft {

class meeting {
 public:
  // Collective; null if a partner is out of reach of shmem_ptr (status OSHEN_UNSUPPORTED) or the
  // arena is full (OSHEN_NO_SPACE), on any PE. `bytes`: of one work array of this PE.
  static std::unique_ptr<meeting> make(oshen_group_t* group, std::vector<int> partners,
                                       std::size_t bytes, oshen_status_t* status);
  ~meeting();
  meeting(const meeting&) = delete;
  meeting& operator=(const meeting&) = delete;

  // A member's work array into which the current move writes, and the own one that it filled or,
  // once it is over, that of the last move.
  std::byte* work(int member) const;
  std::byte* last_work() const;

  void finished_writing();  // tells the partners
  bool all_finished();      // the partners have told; true once ends the move
  void wait_for_all();

  std::size_t bytes() const { return bytes_; }

 private:
  meeting() = default;
  void end_move();
  std::byte* half(int member, std::uint64_t move) const;

  struct member {
    int pe;
    std::byte* work;       // as mapped here; null: out of reach
    std::size_t stride;    // from its one work array to the other
    std::uint64_t* flags;  // symmetric address of its flags
  };

  oshen_group_t* group_ = nullptr;
  std::byte* memory_ = nullptr;  // flags, then two work arrays
  std::size_t bytes_ = 0;
  int me_ = 0;
  std::vector<int> partners_;
  std::vector<member> members_;
  std::size_t met_ = 0;      // partners known to have finished the current move
  std::uint64_t moves_ = 0;  // over
};

}  // namespace oshen::fft
