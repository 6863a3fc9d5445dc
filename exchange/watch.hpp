// Words of this PE that peers raise, and what this PE waits for in them.
//
// Each word has one writer and only grows: it holds the number of the run up to which something
// holds. So nothing is ever reset, and a word that is early does no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arena.hpp"

namespace oshen::exchange {

class watch {
 public:
  // `words` are symmetric, 0 at first.
  void lie_at(std::uint64_t* words, std::size_t n);

  // From now on wait for this word to reach `value`. Only want what can be acted on: wait() returns
  // as long as it is there.
  void want(std::size_t word, std::uint64_t value);
  void want_no_more(std::size_t word);
  // Whether a word that is wanted has come; then it is no longer wanted.
  bool take(std::size_t word);

#if OSHEN_EXCHANGE_TEAMS
  // Waits until one that is wanted has come; its number. At least one must be wanted.
  std::size_t wait();
#else
  // Whether one that is wanted has come: `word`.
  bool find(std::size_t& word) const;
#endif

 private:
  std::uint64_t* words_ = nullptr;
  std::vector<std::uint64_t> values_;
  std::vector<int> unwanted_;  // not bool: the mask of shmem_wait_until_any
  std::size_t n_wanted_ = 0;
};

// Makes the word at `offset` in the arena of `pe` say `value`. Not ordered after earlier puts: that
// takes a fence.
inline void raise(const oshen_arena& arena, std::uint64_t offset, std::uint64_t value, int pe) {
  shmem_uint64_p(reinterpret_cast<std::uint64_t*>(arena.base + offset), value, pe);
}

}  // namespace oshen::exchange
