// A barrier that does not block: dissemination in ceil(log2 n) rounds (Hensgen, Finkel, Manber
// 1988), on words of a plan. For any list of PEs, with no team.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "group.hpp"
#include "watch.hpp"

namespace oshen::exchange {

class plan_barrier {
 public:
  void form(const oshen_group& group, std::size_t first_word);
  // Where member r has its words: an offset in its arena.
  void words_of(int member, std::uint64_t offset) {
    words_[static_cast<std::size_t>(member)] = offset;
  }

  int rounds() const { return rounds_; }
  // Whom this PE hears in a round.
  int heard_in(int round) const;

  // This PE is there, in run `run`; its puts are complete.
  void enter(watch& words, std::uint64_t run);
  // Goes on without waiting; false when nothing could be done.
  bool advance(watch& words);
  // Not entered in this run.
  void reset() { round_ = outside; }
  bool entered() const { return round_ != outside; }
  bool passed() const { return round_ == rounds_; }

 private:
  static constexpr int outside = -1;
  void tell(watch& words);

  const oshen_group* group_ = nullptr;
  std::size_t first_word_ = 0;
  int rounds_ = 0, round_ = outside;
  std::uint64_t run_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace oshen::exchange
