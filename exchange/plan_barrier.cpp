#include "plan_barrier.hpp"

namespace oshen::exchange {

void plan_barrier::form(const oshen_group& group, std::size_t first_word) {
  group_ = &group;
  first_word_ = first_word;
  words_.assign(group.members.size(), 0);
  for (rounds_ = 0; (1 << rounds_) < group.size(); rounds_++) continue;
}

int plan_barrier::heard_in(int round) const {
  const int n = group_->size();
  return (group_->me + n - (1 << round)) % n;
}

void plan_barrier::enter(watch& words, std::uint64_t run) {
  run_ = run;
  round_ = 0;
  if (rounds_ > 0) tell(words);
}

// A peer may be one run ahead in a round: its word is then larger, which means at least as much.
void plan_barrier::tell(watch& words) {
  const int to = (group_->me + (1 << round_)) % group_->size();
  const std::uint64_t word = words_[static_cast<std::size_t>(to)] +
                             static_cast<std::uint64_t>(round_) * sizeof(std::uint64_t);
  raise(*group_->arena, word, run_, group_->at(to).pe);
  words.want(first_word_ + static_cast<std::size_t>(round_), run_);
}

bool plan_barrier::advance(watch& words) {
  bool moved = false;
  while (entered() && !passed() && words.take(first_word_ + static_cast<std::size_t>(round_))) {
    moved = true;
    if (++round_ < rounds_) tell(words);
  }
  return moved;
}

}  // namespace oshen::exchange
