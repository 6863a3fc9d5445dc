// The flags of a plan on this PE, which peers raise, and the values that this PE waits for.
//
// A flag is a 64-bit counter in the arena. One PE writes it, and it only grows: it holds the number of the last run for
// which its event has happened. So flags are never reset, and a flag that is raised early does no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exchange/group/arena.hpp"

namespace oshen::exchange {

class flag_wait {
 public:
  // `flags` is symmetric memory for `n` flags; attach() sets them to 0.
  void attach(std::uint64_t* flags, std::size_t n);

  // From now on, wait until the flag is at least `value`. Arm a flag only if the run can act on it: wait() returns at
  // once as long as an armed flag has its value.
  void arm(std::size_t flag, std::uint64_t value);
  void disarm(std::size_t flag);
  // Whether an armed flag has its value; if so, disarms it.
  bool take(std::size_t flag);

#if OSHEN_EXCHANGE_TEAMS
  // Waits until an armed flag has its value and returns the number of the flag. At least one flag must be armed.
  std::size_t wait();
#else
  // Whether an armed flag has its value; if so, sets `flag` to its number.
  bool find(std::size_t& flag) const;
#endif

 private:
  std::uint64_t* flags_ = nullptr;
  std::vector<std::uint64_t> values_;
  std::vector<int> disarmed_;  // int, because it is the mask of shmem_uint64_wait_until_any_vector
  std::size_t n_armed_ = 0;
};

// Sets the flag at `offset` in the arena of `pe` to `value`. Earlier puts are not ordered before it without a fence;
// nor is an earlier value of the same flag. A run begins with a fence, so only a flag that a run raises twice needs
// another.
inline void raise_flag(const oshen_arena& arena, std::uint64_t offset, std::uint64_t value, int pe) {
  shmem_uint64_p(reinterpret_cast<std::uint64_t*>(arena.base + offset), value, pe);
}

}  // namespace oshen::exchange
